import { expect, test } from 'vitest'
import { evmTransactions } from '../../schemas/evm-blocks.ts'
import { evmTraces } from '../../schemas/evm-contracts.ts'
import { publish, rowsOf, temporaryFolder, writeRows } from './test-lake.ts'

test('a transaction that returned nothing has no revert data, whether its node writes 0x or nothing', async () => {
  const lake = temporaryFolder()
  const places = [0, 1].map((transaction_index) => ({
    network: 'local',
    chain_id: '1',
    block_number: 1,
    transaction_index,
  }))
  const [transactions, traces] = ['data/transactions.parquet', 'data/traces.parquet']
  await writeRows(
    lake,
    evmTransactions,
    transactions,
    places.map((place) => ({ ...place, status: 0 })),
  )
  await writeRows(
    lake,
    evmTraces,
    traces,
    places.map((place, at) => ({ ...place, trace_index: 0, error: 'out of gas', output: at === 0 ? '' : null })),
  )
  await publish(lake, { evm_transactions: [transactions], evm_traces: [traces] })
  expect(await rowsOf(lake, 'SELECT reason, revert_data FROM evm_failed_transactions')).toEqual([
    { reason: 'out of gas', revert_data: null },
    { reason: 'out of gas', revert_data: null },
  ])
})
