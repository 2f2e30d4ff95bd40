import { describe, expect, test } from 'vitest'
import type { decodePContainer } from '../../../src/decode/p/rows.ts'
import { recordedRows, recordingNames } from './recording.ts'

type PRows = ReturnType<typeof decodePContainer>

const genesisTxId = '11111111111111111111111111111111LpoYY'

/** Counts the origins of the spent UTXOs. Every input must spend a UTXO with an origin earlier in the recording. */
function origins(rows: PRows): Map<string, number> {
  const outputs = new Map<string, { height: number; kind: string; asset: string; amount: bigint }>()
  for (const row of rows.outputs)
    outputs.set(`${row.tx_id} ${row.output_index}`, {
      height: Number(row.height),
      kind: row.kind,
      asset: row.asset_id,
      amount: row.amount,
    })
  const transactions = new Map(rows.transactions.map((row) => [row.tx_id, row]))
  const ended = new Map(
    rows.transactions
      .filter((row) => row.tx_type.startsWith('Reward'))
      .map((row) => [row.staked_tx_id!, Number(row.height)]),
  )
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  for (const input of rows.inputs) {
    if (input.kind !== 'transfer') continue
    const spent = `${input.source_tx_id} ${input.source_output_index}`
    expect(seen.has(spent), `${spent} is spent twice`).toBe(false)
    seen.add(spent)
    const why = originOf(spent, input)
    expect(why, `${spent}, spent at height ${input.height}`).not.toBeNull()
    counts.set(why!, (counts.get(why!) ?? 0) + 1)
  }
  return counts

  function originOf(spent: string, input: PRows['inputs'][number]): string | null {
    const output = outputs.get(spent)
    if (output !== undefined) {
      expect(output.asset).toBe(input.asset_id)
      expect(output.amount).toBe(input.amount)
      expect(output.height).toBeLessThanOrEqual(Number(input.height))
      if (output.kind === 'export') return null
      if (output.kind === 'stake' && (ended.get(input.source_tx_id) ?? Infinity) > Number(input.height)) return null
      return output.kind
    }
    if (input.source_tx_id === genesisTxId) return 'genesis'
    const source = transactions.get(input.source_tx_id)
    if (source === undefined || Number(source.height) > Number(input.height)) return null
    const staking = source.tx_type.startsWith('Add')
    const beyond = Number(input.source_output_index) >= Number(source.output_count)
    if (staking && beyond && ended.has(source.tx_id) && ended.get(source.tx_id)! <= Number(input.height))
      return 'reward'
    const refunds = ['DisableL1ValidatorTx', 'SetL1ValidatorWeightTx'].includes(source.tx_type)
    return refunds && Number(input.source_output_index) === Number(source.output_count) ? 'refund' : null
  }
}

describe('UTXOs that recorded P-Chain transactions spend', () => {
  test.each(recordingNames)('have an origin earlier in the recording %s', (recording) => {
    const counts = origins(recordedRows(recording))
    expect(counts.get('transfer')).toBeGreaterThan(1000)
    expect(counts.get('stake')).toBeGreaterThan(100)
    expect(counts.get('refund')).toBeGreaterThan(0)
  })
})
