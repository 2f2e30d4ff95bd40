import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { tables } from '../../../schemas/index.ts'
import { decodeCb58 } from '../../../src/codec/cb58.ts'
import type { PRows } from '../../../src/decode/p/container.ts'
import { parseNodeJson, recordedLines } from '../../recorded.ts'
import { describeWithSharedData } from '../../shared-data.ts'
import * as facts from './json-facts.ts'
import { type RecordingName, recordedRows, recordingNames } from './recording.ts'

const rows = new Map<RecordingName, PRows>()

function rowsOf(recording: RecordingName): PRows {
  const known = rows.get(recording) ?? recordedRows(recording)
  rows.set(recording, known)
  return known
}

function blocksOf(recording: RecordingName): any[] {
  return recordedLines(`recorded/${recording}/p-blocks.jsonl.gz`)
    .slice(1)
    .map((line) => parseNodeJson(line).result.block)
}

/** Of each row the columns that the facts name. */
function pick(row: object, fact: object): object {
  const values = row as Record<string, unknown>
  return Object.fromEntries(Object.keys(fact).map((name) => [name, values[name]]))
}

function expectRows(found: readonly object[], expected: readonly object[]): void {
  expect(found.length).toBe(expected.length)
  expected.forEach((fact, i) => {
    const row = pick(found[i]!, fact)
    if (!isDeepStrictEqual(row, fact)) expect(row).toEqual(fact)
  })
}

describeWithSharedData('rows of recorded P blocks', () => {
  test.each(recordingNames)("%s: blocks and transactions say what the node's JSON says", (recording) => {
    const blocks = blocksOf(recording)
    expectRows(rowsOf(recording).blocks, blocks.map(facts.blockFacts))
    expectRows(
      rowsOf(recording).transactions,
      blocks.flatMap((block) => facts.transactionsOf(block).map((tx, i) => facts.transactionFacts(block, tx, i))),
    )
  })

  test.each(recordingNames)("%s: inputs and outputs say what the node's JSON says", (recording) => {
    const txs = blocksOf(recording).flatMap((block) =>
      facts
        .transactionsOf(block)
        .map((tx, i) => ({ tx, place: { height: Number(block.height), tx_index: i, tx_id: tx.id } })),
    )
    const { inputs, outputs } = rowsOf(recording)
    expectRows(
      inputs,
      txs.flatMap(({ tx, place }) => facts.inputFacts(tx.unsignedTx).map((fact) => ({ ...place, ...fact }))),
    )
    expectRows(
      outputs.map((row) => ({ ...row, utxo_hash: Buffer.from(decodeCb58(row.utxo_id)).toString('hex') })),
      txs.flatMap(({ tx, place }) => facts.outputFacts(tx).map((fact) => ({ ...place, ...fact }))),
    )
  })

  test.each(recordingNames)("%s: validations say what the node's JSON says", (recording) => {
    const byTransaction = new Map(rowsOf(recording).validations.map((row) => [`${row.height} ${row.tx_index}`, row]))
    let compared = 0
    for (const block of blocksOf(recording))
      facts.transactionsOf(block).forEach((tx, i) => {
        const fact = facts.validationFacts(block, tx.unsignedTx)
        if (fact === null) return
        expectRows([byTransaction.get(`${block.height} ${i}`)!], [fact])
        compared++
      })
    expect(compared).toBeGreaterThan(500)
  })

  test.each(recordingNames)('%s: keys are unique, rows have the columns of their tables', (recording) => {
    const all = rowsOf(recording)
    for (const [name, tableRows] of Object.entries(all)) {
      const table = tables.find((each) => each.name === `p_${name}`)!
      const keys = new Set(tableRows.map((row) => table.key.map((column) => (row as any)[column]).join(' ')))
      expect(keys.size).toBe(tableRows.length)
      const columns = Object.keys(table.columns).sort()
      for (const row of tableRows) expect(Object.keys(row).sort()).toEqual(columns)
    }
  })

  test.each(recordingNames)('%s: nothing burned is negative', (recording) => {
    const { transactions } = rowsOf(recording)
    for (const { burned, input_count, tx_id } of transactions)
      if (burned === null) expect(input_count, tx_id).toBe(0)
      else expect(burned, tx_id).toBeGreaterThanOrEqual(0n)
    expect(transactions.filter(({ burned }) => burned !== null && burned > 0n).length).toBeGreaterThan(1000)
  })
})
