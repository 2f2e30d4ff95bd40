import { describe, expect, test } from 'vitest'
import { cAtomicOutputs } from '../../schemas/c-chain.ts'
import { pBlocks, pInputs, pOutputs, pStateOutputs, pTransactions } from '../../schemas/p-chain.ts'
import { restRewards } from '../../schemas/rest-transactions.ts'
import { xInputs, xOutputs, xStateOutputs, xTransactions } from '../../schemas/x-chain.ts'
import type { Table } from '../../src/define/index.ts'
import { publish, rowsOf, type TestRow, temporaryFolder, writeRows } from './test-lake.ts'

async function lakeOf(tables: readonly (readonly [Table, readonly TestRow[]])[]): Promise<string> {
  const lake = temporaryFolder()
  const files: Record<string, string[]> = {}
  for (const [table, rows] of tables) {
    const path = `data/${table.name}/rows.parquet`
    await writeRows(lake, table, path, rows)
    files[table.name] = [path]
  }
  await publish(lake, files)
  return lake
}

type Moved = { readonly height: number; readonly tx_id: string; readonly network?: string }
const place = ({ height, tx_id, network = 'local' }: Moved) => ({
  network,
  height,
  block_time: `2026-01-01 00:0${height}:00+00`,
  tx_index: 0,
  tx_id,
})
const out = (at: Moved, output_index: number, amount: number, addresses: string[], kind = 'transfer'): TestRow => ({
  ...place(at),
  output_index,
  utxo_id: `${at.tx_id}:${output_index}`,
  kind,
  asset_id: 'n',
  amount,
  addresses,
  threshold: 1,
  locktime: 0,
})
const spend = (
  at: Moved,
  input_index: number,
  source_tx_id: string,
  index: number,
  amount: number,
  kind = 'transfer',
) => ({
  ...place(at),
  input_index,
  kind,
  source_tx_id,
  source_output_index: index,
  asset_id: 'n',
  amount,
  signature_indices: [0],
})

describe('p_ledger', () => {
  const pay = { height: 1, tx_id: 'pay' }
  const stake = { height: 2, tx_id: 'stake' }
  const move = { height: 3, tx_id: 'move' }
  const reward = { height: 4, tx_id: 'reward' }
  const block = (height: number, block_type: string, tx_count: number): TestRow => ({
    network: 'local',
    height,
    block_id: `b${height}`,
    parent_id: `b${height - 1}`,
    block_type,
    block_time: `2026-01-01 00:0${height}:00+00`,
    tx_count,
  })
  const transaction = (at: Moved, more: TestRow): TestRow => ({
    ...place(at),
    block_id: `b${at.height}`,
    input_count: 0,
    output_count: 0,
    ...more,
  })
  const state = (tx_id: string, output_index: number, amount: number, more: TestRow): TestRow => ({
    network: 'local',
    utxo_id: `${tx_id}:${output_index}`,
    tx_id,
    output_index,
    asset_id: 'n',
    amount,
    threshold: 1,
    locktime: 0,
    ...more,
  })
  const lake = (more: readonly (readonly [Table, readonly TestRow[]])[] = []) =>
    lakeOf([
      ...more,
      [
        pBlocks,
        [
          ...[1, 2, 3].map((height) => block(height, 'BanffStandardBlock', 1)),
          block(4, 'BanffProposalBlock', 1),
          block(5, 'BanffCommitBlock', 0),
        ],
      ],
      [
        pTransactions,
        [
          transaction(pay, { tx_type: 'BaseTx' }),
          transaction(stake, { tx_type: 'AddPermissionlessValidatorTx' }),
          transaction(move, { tx_type: 'ExportTx', destination_chain_id: 'X', source_chain_id: null }),
          transaction(reward, { tx_type: 'RewardValidatorTx', staked_tx_id: 'stake' }),
        ],
      ],
      [
        pInputs,
        [
          spend(pay, 0, 'genesis', 0, 100),
          spend(stake, 0, 'pay', 1, 55),
          spend(move, 0, 'pay', 0, 40),
          spend(move, 1, 'sent', 0, 7, 'import'),
          spend(move, 2, 'nobody knows', 0, 3),
        ],
      ],
      [
        pOutputs,
        [
          out(pay, 0, 40, ['b', 'c']),
          out(pay, 1, 55, ['a']),
          out(stake, 0, 5, ['a']),
          out(stake, 1, 49, ['a'], 'stake'),
          out(move, 0, 39, ['d'], 'export'),
        ],
      ],
      [
        pStateOutputs,
        [
          state('genesis', 0, 100, { origin: 'genesis', addresses: ['a'] }),
          state('stake', 2, 4, { origin: 'reward', staked_tx_id: 'stake', addresses: ['e'] }),
        ],
      ],
      [cAtomicOutputs, [cExport]],
    ])
  const cExport: TestRow = {
    network: 'local',
    blockchain_id: 'C',
    block_number: 1,
    tx_index: 0,
    tx_id: 'sent',
    output_index: 0,
    kind: 'export',
    utxo_id: 'sent:0',
    asset_id: 'n',
    amount: 7,
    addresses: ['b'],
    threshold: 1,
    locktime: 0,
  }
  const shown = 'height::INT AS height, tx_id, entry, utxo_id, amount::INT AS amount'

  test('shows each reward once, from the state of the P-Chain or from the service', async () => {
    const paid = (utxo_id: string, currency: string): TestRow => ({
      network: 'local',
      utxo_id,
      currency,
      tx_id: 'stake',
      node_id: 'NodeID-a',
      reward_type: 'VALIDATOR',
      end_time: '2026-01-01 00:05:00+00',
      asset_id: 'n',
      amount: 4,
      addresses: ['e'],
    })
    const folder = await lake([[restRewards, [paid('stake:2', 'usd'), paid('stake:2', 'eur'), paid('stake:3', 'usd')]]])
    expect(
      await rowsOf(
        folder,
        `SELECT utxo_id, height::INT AS height, reward_tx_id, staked_tx_id, node_id, reward_type, amount::INT AS amount,
           hour(paid_at AT TIME ZONE 'UTC')::INT AS hour
         FROM p_reward_payments ORDER BY utxo_id`,
      ),
    ).toEqual([
      {
        utxo_id: 'stake:2',
        height: 5,
        reward_tx_id: 'reward',
        staked_tx_id: 'stake',
        node_id: 'NodeID-a',
        reward_type: 'VALIDATOR',
        amount: 4,
        hour: 0,
      },
      {
        utxo_id: 'stake:3',
        height: null,
        reward_tx_id: null,
        staked_tx_id: 'stake',
        node_id: 'NodeID-a',
        reward_type: 'VALIDATOR',
        amount: 4,
        hour: 0,
      },
    ])
  })

  test('has an entry for everything that an address received or spent', async () => {
    const of = async (address: string, columns = shown) =>
      (
        await rowsOf(
          folder,
          `SELECT ${columns} FROM p_ledger WHERE address = '${address}' ORDER BY height, amount, utxo_id`,
        )
      ).map((row) => Object.values(row))
    const folder = await lake()
    expect(await of('a')).toEqual([
      [0, 'genesis', 'credit', 'genesis:0', 100],
      [1, 'pay', 'debit', 'genesis:0', -100],
      [1, 'pay', 'change', 'pay:1', 55],
      [2, 'stake', 'debit', 'pay:1', -55],
      [2, 'stake', 'credit staking set', 'stake:1', 0],
      [2, 'stake', 'change', 'stake:0', 5],
      [5, 'reward', 'debit staking set', 'stake:1', 49],
    ])
    expect(await of('b')).toEqual([
      [1, 'pay', 'credit', 'pay:0', 40],
      [3, 'move', 'debit', 'pay:0', -40],
      [3, 'move', 'debit atomic', 'sent:0', 0],
    ])
    expect(await of('c')).toHaveLength(2)
    expect(await of('b', 'counted_amount::INT AS counted')).toEqual([[40], [-40], [0]])
    expect(await of('c', 'counted_amount::INT AS counted')).toEqual([[0], [0]])
    const other =
      'entry, amount::INT AS amount, atomic_amount::INT AS atomic_amount, other_chain_id, height::INT AS height'
    expect(await of('d', other)).toEqual([['credit atomic', 0, 39, 'X', 3]])
    expect(await of('e', other)).toEqual([['reward', 4, 0, null, 5]])
    expect(await of('a', 'staking_amount::INT AS staking_amount')).toEqual([0, 0, 0, 0, 49, 0, -49].map((n) => [n]))
    const unspent = await rowsOf(folder, 'SELECT utxo_id, kind, height::INT AS height FROM p_utxos ORDER BY ALL')
    expect(unspent.map((row) => Object.values(row))).toEqual([
      ['stake:0', 'transfer', 2],
      ['stake:1', 'stake', 5],
      ['stake:2', 'state', 5],
    ])
  })

  test('has the stake of a transaction that stands before an aborted proposal in its block', async () => {
    const before = { height: 1, tx_id: 'stake' }
    const folder = await lakeOf([
      [pBlocks, [block(1, 'BanffProposalBlock', 2), block(2, 'BanffAbortBlock', 0)]],
      [
        pTransactions,
        [
          transaction(before, { tx_type: 'AddPermissionlessValidatorTx' }),
          transaction(
            { height: 1, tx_id: 'reward' },
            { tx_index: 1, tx_type: 'RewardValidatorTx', staked_tx_id: 'other' },
          ),
        ],
      ],
      [pOutputs, [out(before, 0, 9, ['a'], 'stake')]],
    ])
    expect(
      await rowsOf(folder, 'SELECT entry, height::INT AS height, staking_amount::INT AS staked FROM p_ledger'),
    ).toEqual([{ entry: 'credit staking set', height: 2, staked: 9 }])
  })

  test('has no stake of a proposal that was aborted', async () => {
    const stake = { height: 1, tx_id: 'stake' }
    const folder = await lakeOf([
      [pBlocks, [block(1, 'ApricotProposalBlock', 1), block(2, 'ApricotAbortBlock', 0)]],
      [pTransactions, [transaction(stake, { tx_type: 'AddValidatorTx' })]],
      [pOutputs, [out(stake, 0, 9, ['a'], 'stake')]],
    ])
    expect(
      await rowsOf(
        folder,
        'SELECT entry, height::INT AS height, staking_amount::INT AS staked FROM p_ledger ORDER BY entry',
      ),
    ).toEqual([{ entry: 'debit staking set', height: 2, staked: 0 }])
  })
})

describe('x_ledger', () => {
  test('recognizes change by owner and asset, and counts a missing amount as zero', async () => {
    const at = (height: number, tx_id: string) => ({ height, tx_id })
    const onX = { blockchain_id: 'x' }
    const made = (of: Moved, index: number, amount: number | null, address: string, more: TestRow = {}): TestRow => ({
      ...out(of, index, 0, [address]),
      ...onX,
      origin: 'base',
      output_type: 'transfer',
      amount,
      ...more,
    })
    const used = (of: Moved, index: number, source: string, from: number): TestRow => ({
      ...spend(of, index, source, from, 0),
      ...onX,
    })
    const folder = await lakeOf([
      [
        xOutputs,
        [
          made(at(1, 'one'), 0, 60, 'a'),
          made(at(1, 'one'), 1, 30, 'b'),
          made(at(1, 'one'), 2, null, 'a', { asset_id: 'new', output_type: 'mint', origin: 'initial' }),
          made(at(2, 'two'), 0, 59, 'a', { kind: 'export' }),
        ],
      ],
      [xInputs, [used(at(1, 'one'), 0, 'n', 0), used(at(2, 'two'), 0, 'one', 0)]],
      [
        xTransactions,
        [at(1, 'one'), at(2, 'two')].map((of) => ({
          ...place(of),
          ...onX,
          tx_type: of.height === 1 ? 'BaseTx' : 'ExportTx',
          destination_chain_id: of.height === 1 ? null : 'P',
          timestamp_source: 'block',
        })),
      ],
      [
        xStateOutputs,
        [
          {
            network: 'local',
            ...onX,
            utxo_id: 'n:0',
            tx_id: 'n',
            output_index: 0,
            origin: 'genesis',
            output_type: 'transfer',
            asset_id: 'n',
            amount: 100,
            addresses: ['a'],
            threshold: 1,
            locktime: 0,
          },
        ],
      ],
    ])
    const rows = await rowsOf(
      folder,
      `SELECT address, height::INT AS height, entry, utxo_id, amount::INT AS amount, atomic_amount::INT AS atomic, other_chain_id
       FROM x_ledger ORDER BY address, height, amount, utxo_id`,
    )
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['a', 0, 'credit', 'n:0', 100, 0, null],
      ['a', 1, 'debit', 'n:0', -100, 0, null],
      ['a', 1, 'credit', 'one:2', 0, 0, null],
      ['a', 1, 'change', 'one:0', 60, 0, null],
      ['a', 2, 'debit', 'one:0', -60, 0, null],
      ['a', 2, 'credit atomic', 'two:0', 0, 59, 'P'],
      ['b', 1, 'credit', 'one:1', 30, 0, null],
    ])
    expect((await rowsOf(folder, 'SELECT utxo_id FROM x_utxos ORDER BY 1')).map(({ utxo_id }) => utxo_id)).toEqual([
      'one:1',
      'one:2',
    ])
  })
})

describe('p_payments', () => {
  test('has payments of blocks without a time, and an output once however many inputs it has', async () => {
    const [made, pay] = [
      { height: 1, tx_id: 'made' },
      { height: 2, tx_id: 'pay' },
    ]
    const untimed = (row: TestRow): TestRow => ({ ...row, block_time: null })
    const lake = await lakeOf([
      [
        pOutputs,
        [
          out(made, 0, 7, ['alice']),
          out(made, 1, 5, ['bob', 'alice']),
          out(made, 2, 1, []),
          ...[out(pay, 0, 9, ['carol']), out(pay, 1, 3, ['bob'])].map(untimed),
        ],
      ],
      [pInputs, [spend(pay, 0, 'made', 0, 7), spend(pay, 1, 'made', 1, 5)].map(untimed)],
    ])
    const payments = 'SELECT tx_id, block_time, amount, from_addresses, to_addresses FROM p_payments'
    expect(await rowsOf(lake, payments)).toEqual([
      { tx_id: 'pay', block_time: null, amount: '9', from_addresses: ['alice', 'bob'], to_addresses: ['carol'] },
    ])
    expect(await rowsOf(lake, `${payments} WHERE amount > 9 OR block_time > DATE '2020-01-01'`)).toEqual([])
  })
})
