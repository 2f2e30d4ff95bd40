import { expect, test } from 'vitest'
import { pBlocks, pStateOutputs, pValidations } from '../../schemas/p-chain.ts'
import type { Table } from '../../src/define/index.ts'
import { publish, rowsOf, type TestRow, temporaryFolder, writeRows } from './test-lake.ts'

const network = 'fuji'
const timeAt = (height: number) => `2025-01-01T00:00:${String(height).padStart(2, '0')}Z`

/** A transaction in the block at a height that does something to a validator. */
const change = (height: number, tx_index: number, row: TestRow) => ({
  network,
  height,
  tx_index,
  tx_id: `tx${height}.${tx_index}`,
  block_time: timeAt(height),
  position: 0,
  ...row,
})

async function lakeOf(changes: readonly TestRow[], refunds: readonly TestRow[] = []): Promise<string> {
  const lakeDir = temporaryFolder()
  const blocks = Array.from({ length: 9 }, (_, height) => ({ network, height, block_time: timeAt(height) }))
  const filled = [
    [pBlocks, blocks],
    [pValidations, changes],
    [pStateOutputs, refunds],
  ] as [Table, readonly TestRow[]][]
  const own = filled.filter(([, rows]) => rows.length > 0)
  for (const [table, rows] of own) await writeRows(lakeDir, table, `data/${table.name}/rows.parquet`, rows)
  await publish(lakeDir, Object.fromEntries(own.map(([{ name }]) => [name, [`data/${name}/rows.parquet`]])))
  return lakeDir
}

test('p_stakers ends the stake of a subnet validator at a removal in the same block, and not before it was added', async () => {
  const validator = { subnet_id: 'subnet', node_id: 'node' }
  const add = { ...validator, tx_type: 'AddSubnetValidatorTx', action: 'add', weight: 1, end_time: timeAt(9) }
  const remove = { ...validator, tx_type: 'RemoveSubnetValidatorTx', action: 'remove' }
  const lake = await lakeOf([
    change(1, 0, add),
    change(4, 0, remove),
    change(4, 1, add),
    change(4, 2, remove),
    change(4, 3, add),
    change(6, 0, remove),
  ])
  expect(await rowsOf(lake, 'SELECT tx_id, end_tx_id, end_reason FROM p_stakers ORDER BY tx_id')).toEqual([
    { tx_id: 'tx1.0', end_tx_id: 'tx4.0', end_reason: 'removed' },
    { tx_id: 'tx4.1', end_tx_id: 'tx4.2', end_reason: 'removed' },
    { tx_id: 'tx4.3', end_tx_id: 'tx6.0', end_reason: 'removed' },
  ])
})

test('l1_validators ends a validator with the last transaction that ended it, unless a deposit made it active again', async () => {
  const of = (validation_id: string) => ({
    add: { validation_id, tx_type: 'RegisterL1ValidatorTx', action: 'add', weight: 1, balance: 5 },
    deposit: { validation_id, tx_type: 'IncreaseL1ValidatorBalanceTx', action: 'add_balance', balance: 3 },
    disable: { validation_id, tx_type: 'DisableL1ValidatorTx', action: 'disable' },
    remove: { validation_id, tx_type: 'SetL1ValidatorWeightTx', action: 'set_weight', weight: 0 },
  })
  const [active, again, twice, removed] = ['active', 'again', 'twice', 'removed'].map(of)
  const lake = await lakeOf(
    [
      change(1, 0, active!.add),
      change(1, 1, again!.add),
      change(1, 2, twice!.add),
      change(1, 3, removed!.add),
      change(2, 0, active!.deposit),
      change(3, 0, again!.disable),
      change(4, 0, again!.deposit),
      change(3, 1, twice!.disable),
      change(4, 1, twice!.deposit),
      change(5, 0, twice!.disable),
      change(6, 0, removed!.disable),
      change(6, 1, removed!.remove),
    ],
    [
      { network, utxo_id: 'a', tx_id: 'tx3.1', output_index: 0, origin: 'refund', amount: 4 },
      { network, utxo_id: 'b', tx_id: 'tx5.0', output_index: 0, origin: 'refund', amount: 2 },
    ],
  )
  const found = await rowsOf(
    lake,
    `SELECT validation_id AS id, end_reason AS reason, strftime(disabled_at, '%S') AS second, deposited::INT AS deposited, refunded::INT AS refunded
     FROM l1_validators ORDER BY id`,
  )
  expect(found).toEqual([
    { id: 'active', reason: null, second: null, deposited: 8, refunded: null },
    { id: 'again', reason: null, second: null, deposited: 8, refunded: null },
    { id: 'removed', reason: 'removed', second: '06', deposited: 5, refunded: null },
    { id: 'twice', reason: 'disabled', second: '05', deposited: 8, refunded: 6 },
  ])
})
