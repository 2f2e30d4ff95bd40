import { describe, expect, test } from 'vitest'
import { decodeCb58 } from '../../../codec/ids.ts'
import { recordedBlocks } from '../../recorded.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import * as facts from './json-facts.ts'
import { type RecordingName, recordedRows, recordingNames } from './recording.ts'

function blocksOf(recording: RecordingName): any[] {
  return recordedBlocks(recording, 'P')
}

describe('rows of recorded P blocks', () => {
  test.each(recordingNames)("%s: blocks and transactions match the node's JSON", (recording) => {
    const blocks = blocksOf(recording)
    expectRows(recordedRows(recording).blocks, blocks.map(facts.blockFacts))
    expectRows(
      recordedRows(recording).transactions,
      blocks.flatMap((block) => facts.transactionsOf(block).map((tx, i) => facts.transactionFacts(block, tx, i))),
    )
  })

  test.each(recordingNames)("%s: inputs and outputs match the node's JSON", (recording) => {
    const txs = blocksOf(recording).flatMap((block) =>
      facts
        .transactionsOf(block)
        .map((tx, i) => ({ tx, place: { height: Number(block.height), tx_index: i, tx_id: tx.id } })),
    )
    const { inputs, outputs } = recordedRows(recording)
    expectRows(
      inputs,
      txs.flatMap(({ tx, place }) => facts.inputFacts(tx.unsignedTx).map((fact) => ({ ...place, ...fact }))),
    )
    expectRows(
      outputs.map((row) => ({ ...row, utxo_hash: Buffer.from(decodeCb58(row.utxo_id)).toString('hex') })),
      txs.flatMap(({ tx, place }) => facts.outputFacts(tx).map((fact) => ({ ...place, ...fact }))),
    )
  })

  test.each(recordingNames)("%s: validations match the node's JSON", (recording) => {
    const byTransaction = new Map(
      recordedRows(recording).validations.map((row) => [`${row.height} ${row.tx_index}`, row]),
    )
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

  test.each(recordingNames)('%s: keys are unique, and rows have exactly the columns of their tables', (recording) => {
    const all = recordedRows(recording)
    for (const [name, tableRows] of Object.entries(all)) expectTable(`p_${name}`, tableRows)
  })

  test.each(recordingNames)('%s: no burned amount is negative', (recording) => {
    const { transactions } = recordedRows(recording)
    for (const { burned, input_count, tx_id } of transactions)
      if (burned === null) expect(input_count, tx_id).toBe(0)
      else expect(burned, tx_id).toBeGreaterThanOrEqual(0n)
    expect(transactions.filter(({ burned }) => burned !== null && burned > 0n).length).toBeGreaterThan(1000)
  })
})
