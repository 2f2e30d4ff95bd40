import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encodeCb58 } from '../../../codec/ids.ts'
import { decodeCContainer } from '../../../src/decode/c/rows.ts'
import { recordedLines } from '../../recorded.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import { contextOf, type RecordingName, recordedRows, recordingNames } from '../recordings.ts'
import { atomicFacts, blockFacts, transactionFacts } from './json-facts.ts'

const rowsOf = (recording: RecordingName) => recordedRows(recording, 'C', decodeCContainer)

function blocksOf(recording: RecordingName): any[] {
  return recordedLines(`${recording}/c-blocks`)
    .slice(1)
    .map((line) => JSON.parse(line).result)
}

/** The answers of `avax.getAtomicTx`: bytes and block of transactions. */
function atomicAnswers(recording: RecordingName): { blockNumber: number; bytes: Uint8Array }[] {
  return recordedLines(`${recording}/calls`)
    .map((line) => JSON.parse(line))
    .filter(({ request }) => request?.body?.includes('"avax.getAtomicTx"'))
    .flatMap(({ answer }) => {
      const { result } = JSON.parse(answer.body)
      if (result === undefined) return []
      const bytes = new Uint8Array(Buffer.from(result.tx.slice(2, -8), 'hex'))
      return [{ blockNumber: Number(result.blockHeight), bytes }]
    })
}

describe('rows of recorded C blocks', () => {
  test.each(recordingNames)('%s: blocks and transactions match the RPC answers', (recording) => {
    const { blocks, transactions } = rowsOf(recording)
    expectRows(blocks, blocksOf(recording).map(blockFacts))
    expectRows(transactions, blocksOf(recording).flatMap(transactionFacts))
    expect(new Set(transactions.map((row) => row.transaction_type))).toEqual(new Set([0, 1, 2]))
    expect(transactions.some((row) => row.to_address === null)).toBe(true)
    expect(transactions.some((row) => row.access_list?.some(({ storage_keys }) => storage_keys.length > 0))).toBe(true)
  })

  test.each(recordingNames)('%s: headers have the fields of their fork', (recording) => {
    const counts = new Set(rowsOf(recording).blocks.map((row) => row.header_field_count))
    expect(counts).toEqual(new Set(recording === 'granite' ? [24] : [24, 30]))
  })

  test.each(recordingNames)('%s: atomic transactions match avax.getAtomicTx', (recording) => {
    const { atomicTransactions, atomicInputs, atomicOutputs } = rowsOf(recording)
    const { hrp } = contextOf(recording, 'C')
    const seen = new Set<string>()
    for (const { blockNumber, bytes } of atomicAnswers(recording)) {
      const id = encodeCb58(createHash('sha256').update(bytes).digest())
      const own = ({ tx_id, block_number }: { tx_id: string; block_number: number | bigint }) =>
        tx_id === id && block_number === blockNumber
      const facts = atomicFacts(bytes, hrp)
      expectRows(atomicTransactions.filter(own), [facts.transaction])
      expectRows(atomicInputs.filter(own), facts.inputs)
      expectRows(atomicOutputs.filter(own), facts.outputs)
      seen.add(id)
    }
    expect(seen.size).toBeGreaterThan(5)
  })

  test.each(recordingNames)('%s: keys are unique, and rows have exactly the columns of their tables', (recording) => {
    const { blocks, transactions, atomicTransactions, atomicInputs, atomicOutputs } = rowsOf(recording)
    expectTable('c_blocks', blocks)
    expectTable('c_transactions', transactions)
    expectTable('c_atomic_transactions', atomicTransactions)
    expectTable('c_atomic_inputs', atomicInputs)
    expectTable('c_atomic_outputs', atomicOutputs)
    expect(atomicTransactions.length).toBe(
      blocks.reduce((sum, { atomic_transaction_count }) => sum + Number(atomic_transaction_count), 0),
    )
  })
})
