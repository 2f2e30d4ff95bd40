import { describe, expect, test } from 'vitest'
import { decodeXContainer } from '../../../src/decode/x/rows.ts'
import { recordedBlocks } from '../../recorded.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import { contextOf, type RecordingName, recordedRows, recordingNames } from '../recordings.ts'
import * as facts from './json-facts.ts'

const rowsOf = (recording: RecordingName) => recordedRows(recording, 'X', decodeXContainer)

function blocksOf(recording: RecordingName): any[] {
  return recordedBlocks(recording, 'X')
}

/** Adds the columns that every row of a transaction has for its place in the block. */
function inPlace(block: any, index: number, found: object[]): object[] {
  const place = { height: Number(block.height), block_time: block.time * 1_000_000n, tx_index: index }
  return found.map((fact) => ({ ...place, ...fact }))
}

function factsOf(recording: RecordingName, of: (tx: any) => object[]): object[] {
  return blocksOf(recording).flatMap((block) =>
    block.txs.flatMap((tx: any, index: number) => inPlace(block, index, of(tx))),
  )
}

describe('rows of recorded X blocks', () => {
  test.each(recordingNames)("%s: blocks and transactions match the node's JSON", (recording) => {
    const { blocks, transactions } = rowsOf(recording)
    expectRows(blocks, blocksOf(recording).map(facts.blockFacts))
    expectRows(
      transactions,
      factsOf(recording, (tx) => [facts.transactionFacts(tx)]),
    )
    const { network, blockchainId } = contextOf(recording, 'X')
    for (const row of transactions)
      expect(row).toMatchObject({ network, blockchain_id: blockchainId, timestamp_source: 'block' })
  })

  test.each(recordingNames)("%s: inputs and outputs match the node's JSON", (recording) => {
    const { inputs, outputs } = rowsOf(recording)
    expectRows(inputs, factsOf(recording, facts.inputFacts))
    expectRows(outputs, factsOf(recording, facts.outputFacts))
  })

  test.each(recordingNames)("%s: assets and operations match the node's JSON", (recording) => {
    const { assets, operations } = rowsOf(recording)
    expectRows(
      assets,
      factsOf(recording, facts.assetFacts).map(({ height: _, tx_index: __, ...fact }: any) => fact),
    )
    expectRows(operations, factsOf(recording, facts.operationFacts))
    const types = new Set(operations.map((row) => row.operation_type))
    expect(types).toEqual(new Set(['mint', 'nft_mint', 'property_mint', 'property_burn']))
    expect(operations.length).toBeGreaterThan(1500)
  })

  test.each(recordingNames)('%s: keys are unique, and rows have exactly the columns of their tables', (recording) => {
    for (const [name, rows] of Object.entries(rowsOf(recording))) expectTable(`x_${name}`, rows)
  })
})
