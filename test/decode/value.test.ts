import { describe, expect, test } from 'vitest'
import { decodeCContainer } from '../../src/decode/c/rows.ts'
import { decodePContainer } from '../../src/decode/p/rows.ts'
import { decodeXContainer, decodeXTransaction } from '../../src/decode/x/rows.ts'
import { recordedContainers } from '../recorded.ts'
import { contextOf, type RecordingName, recordedRows, recordingNames, rowsOfAll } from './recordings.ts'

type XTransactionRows = ReturnType<typeof decodeXTransaction>

const pRows = (recording: RecordingName) => recordedRows(recording, 'P', decodePContainer)
const xRows = (recording: RecordingName) => recordedRows(recording, 'X', decodeXContainer)
const cRows = (recording: RecordingName) => recordedRows(recording, 'C', decodeCContainer)

type Transfer = { tx_id: string; asset_id: string; amount: bigint | null }

/** Inputs minus outputs, by transaction and asset. */
function balances(inputs: readonly Transfer[], outputs: readonly Transfer[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  const add = ({ tx_id, asset_id, amount }: Transfer, sign: bigint) =>
    sums.set(`${tx_id} ${asset_id}`, (sums.get(`${tx_id} ${asset_id}`) ?? 0n) + sign * (amount ?? 0n))
  for (const row of inputs) add(row, 1n)
  for (const row of outputs) add(row, -1n)
  return sums
}

/** The rest of the native asset is the burned amount of the transaction; no other asset has more outputs than inputs. */
function expectConserved(
  transactions: readonly { tx_id: string; burned: bigint | null; input_count: number | bigint }[],
  sums: Map<string, bigint>,
  native: string,
  l1Balances: Map<string, bigint> = new Map(),
): void {
  for (const { tx_id, burned, input_count } of transactions) {
    if (input_count === 0) continue
    const left = (sums.get(`${tx_id} ${native}`) ?? 0n) - (l1Balances.get(tx_id) ?? 0n)
    expect(burned, tx_id).toBe(left)
    expect(left >= 0n, tx_id).toBe(true)
  }
  for (const [key, left] of sums) if (!key.endsWith(native)) expect(left >= 0n, key).toBe(true)
}

/** Operations and initial states mint, so the sums leave them out. */
function expectXConserved(rows: XTransactionRows, native: string): void {
  const given = rows.outputs.filter(({ origin }) => origin === 'base' || origin === 'export')
  expectConserved(rows.transactions, balances(rows.inputs, given), native)
}

describe('the value of recorded transactions', () => {
  test.each(recordingNames)('is conserved on the P-Chain of %s', (recording) => {
    const { transactions, inputs, outputs, validations } = pRows(recording)
    const l1 = new Map<string, bigint>()
    for (const { tx_id, balance } of validations) l1.set(tx_id, (l1.get(tx_id) ?? 0n) + (balance ?? 0n))
    expectConserved(transactions, balances(inputs, outputs), contextOf(recording, 'P').nativeAssetId!, l1)
  })

  test.each(recordingNames)('is conserved on the X-Chain of %s', (recording) => {
    expectXConserved(xRows(recording), contextOf(recording, 'X').nativeAssetId!)
  })

  test('is conserved on the legacy X-Chain', () => {
    const context = contextOf('legacy', 'X')
    const containers = recordedContainers('legacy/x-transactions')
    expectXConserved(rowsOfAll(containers, decodeXTransaction, context), context.nativeAssetId!)
  })

  test.each(recordingNames)('is conserved in atomic transactions of the C-Chain of %s', (recording) => {
    const { atomicTransactions, atomicInputs, atomicOutputs } = cRows(recording)
    const sums = balances(atomicInputs, atomicOutputs)
    expectConserved(atomicTransactions, sums, contextOf(recording, 'C').nativeAssetId!)
  })
})

/** The UTXOs that one chain exports to another, with source, destination, asset and amount. */
function exportsOf(recording: RecordingName): Map<string, object> {
  const found = new Map<string, object>()
  const add = (from: 'P' | 'X' | 'C', outputs: readonly any[], transactions: readonly any[]) => {
    const to = new Map(transactions.map((row) => [row.tx_id, row.destination_chain_id]))
    for (const row of outputs)
      if (row.kind === 'export')
        found.set(`${row.tx_id} ${row.output_index}`, {
          from: contextOf(recording, from).blockchainId,
          to: to.get(row.tx_id),
          asset: row.asset_id,
          amount: row.amount,
        })
  }
  const { atomicOutputs, atomicTransactions } = cRows(recording)
  add('P', pRows(recording).outputs, pRows(recording).transactions)
  add('X', xRows(recording).outputs, xRows(recording).transactions)
  add('C', atomicOutputs, atomicTransactions)
  return found
}

function importsOf(recording: RecordingName): Map<string, object> {
  const found = new Map<string, object>()
  const add = (to: 'P' | 'X' | 'C', inputs: readonly any[], transactions: readonly any[]) => {
    const from = new Map(transactions.map((row) => [row.tx_id, row.source_chain_id]))
    for (const row of inputs)
      if (row.kind === 'import') {
        const spent = `${row.source_tx_id} ${row.source_output_index}`
        expect(found.has(spent), `${spent} is imported twice`).toBe(false)
        found.set(spent, {
          from: from.get(row.tx_id),
          to: contextOf(recording, to).blockchainId,
          asset: row.asset_id,
          amount: row.amount,
        })
      }
  }
  const { atomicInputs, atomicTransactions } = cRows(recording)
  add('P', pRows(recording).inputs, pRows(recording).transactions)
  add('X', xRows(recording).inputs, xRows(recording).transactions)
  add('C', atomicInputs, atomicTransactions)
  return found
}

describe('recorded imports', () => {
  test.each(recordingNames)('match an export of the other chain in %s', (recording) => {
    const exported = exportsOf(recording)
    const imported = importsOf(recording)
    for (const [spent, facts] of imported) expect(exported.get(spent), spent).toEqual(facts)
    const ways = new Set([...imported.values()].map(({ from, to }: any) => `${from} ${to}`))
    expect(ways.size).toBe(6)
  })
})

/** X transactions consume only UTXOs that were created before, are imported or are of the genesis. Returns the last number. */
function expectOrigins({ inputs, outputs, transactions }: XTransactionRows): number {
  const made = new Map(outputs.map((row) => [`${row.tx_id} ${row.output_index}`, row]))
  const known = new Set(transactions.map(({ tx_id }) => tx_id))
  const spent = new Set<string>()
  let genesis = 0
  for (const input of inputs) {
    if (input.kind === 'import') continue
    const key = `${input.source_tx_id} ${input.source_output_index}`
    expect(spent.has(key), `${key} is spent twice`).toBe(false)
    spent.add(key)
    const output = made.get(key)
    if (output === undefined) {
      expect(known.has(input.source_tx_id), `${key} of a known transaction`).toBe(false)
      genesis++
      continue
    }
    expect(output.kind).toBe('transfer')
    expect(output.asset_id).toBe(input.asset_id)
    if (input.kind === 'transfer') expect(output.amount).toBe(input.amount)
    else expect(output.output_type, key).not.toBe('transfer')
  }
  return genesis
}

describe('UTXOs that recorded X-Chain transactions consume', () => {
  test.each(recordingNames)('were created before in %s, except for a few genesis outputs', (recording) => {
    expect(expectOrigins(xRows(recording))).toBeLessThan(10)
    const operated = xRows(recording).inputs.filter(({ kind }) => kind === 'operation')
    expect(operated.length).toBeGreaterThan(1500)
  })

  test('were created before in the legacy index, except for a few genesis outputs', () => {
    const containers = recordedContainers('legacy/x-transactions')
    expect(expectOrigins(rowsOfAll(containers, decodeXTransaction, contextOf('legacy', 'X')))).toBeLessThan(10)
  })
})
