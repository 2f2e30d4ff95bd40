import { test } from 'vitest'
import { decodeCContainer } from '../../../src/decode/c/container.ts'
import { decodeCSenders } from '../../../src/decode/c/senders.ts'
import { recordedContainers, recordedLines } from '../../recorded.ts'
import { describeWithSharedData } from '../../shared-data.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import { contextOf, recordedRows, recordingNames, rowsOfAll } from '../recordings.ts'

describeWithSharedData('senders of recorded C transactions', () => {
  test.each(recordingNames)('%s: are those that the RPC names', (recording) => {
    const containers = recordedContainers(`recorded/${recording}/c-containers.jsonl.gz`)
    const { senders } = rowsOfAll(containers, decodeCSenders, contextOf(recording, 'C'))
    const blocks = recordedLines(`recorded/${recording}/c-blocks.jsonl.gz`).map((line) => JSON.parse(line).result)
    expectRows(
      senders,
      blocks.flatMap(({ transactions }) =>
        transactions.map((tx: any) => ({
          block_number: Number(tx.blockNumber),
          transaction_index: Number(tx.transactionIndex),
          transaction_hash: tx.hash,
          from_address: tx.from,
        })),
      ),
    )
    expectTable('c_senders', senders)
    const { transactions } = recordedRows(recording, 'C', decodeCContainer)
    expectRows(
      senders,
      transactions.map(({ transaction_hash, block_time }) => ({ transaction_hash, block_time })),
    )
  })
})
