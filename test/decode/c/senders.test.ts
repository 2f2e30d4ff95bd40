import { describe, test } from 'vitest'
import { recoverPublicKey } from '../../../codec/secp256k1.ts'
import { createSenderReader, decodeCContainer } from '../../../src/decode/c/rows.ts'
import { recordedContainers, recordedLines } from '../../recorded.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import { contextOf, recordedRows, recordingNames, rowsOfAll } from '../recordings.ts'

const decodeCSenders = createSenderReader(recoverPublicKey)

describe('senders of recorded C transactions', () => {
  test.each(recordingNames)('match the senders in the RPC answers of %s', (recording) => {
    const containers = recordedContainers(`${recording}/c-containers`)
    const { senders } = rowsOfAll(containers, decodeCSenders, contextOf(recording, 'C'))
    const blocks = recordedLines(`${recording}/c-blocks`).map((line) => JSON.parse(line).result)
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
