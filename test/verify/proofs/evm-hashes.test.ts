import { expect, test } from 'vitest'
import { decodeCContainer } from '../../../src/decode/c/rows.ts'
import { headerHash, transactionHash } from '../../../src/verify/evm-blocks.ts'
import { contextOf, recordingNames, rowsOfAll } from '../../decode/recordings.ts'
import { recordedContainers } from '../../recorded.ts'

test.each(recordingNames)('the columns of recorded blocks and transactions give their hashes: %s', (recording) => {
  const containers = recordedContainers(`${recording}/c-containers`).slice(0, 300)
  const { blocks, transactions } = rowsOfAll(containers, decodeCContainer, contextOf(recording, 'C'))
  expect(blocks.length).toBeGreaterThan(50)
  for (const block of blocks) expect(headerHash(block)).toEqual({ block_hash: block.block_hash })
  for (const transaction of transactions)
    expect(transactionHash(transaction)).toEqual({ transaction_hash: transaction.transaction_hash })
  const [block] = blocks
  expect(headerHash({ ...block!, gas_limit: 1n }).block_hash).not.toBe(block!.block_hash)
})
