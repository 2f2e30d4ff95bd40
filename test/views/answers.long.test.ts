import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { cAtomicTransactions, cBlocks } from '../../schemas/c-chain.ts'
import { evmBlocks, evmTokenTransfers, evmTransactions } from '../../schemas/evm-blocks.ts'
import { evmTokens } from '../../schemas/evm-contracts.ts'
import type { Cell } from '../../src/views/query.ts'
import { command, newLake } from '../run/lake-run.ts'
import { publish, rowsOf, type TestRow, temporaryFolder, writeRows } from './test-lake.ts'

type Row = Record<string, Cell>

/** A decimal with `scale` places as an integer of its least unit, and back. */
const units = (text: Cell, scale: number) => {
  const [whole = '', rest = ''] = String(text).split('.')
  return BigInt(whole + rest.padEnd(scale, '0'))
}
const big = (value: Cell) => BigInt(String(value))
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
const listOf = (value: Cell) => (Array.isArray(value) ? value.map(String) : null)

describe('the views of a simulated network answer as its rows do', () => {
  let node: Devnet
  let lake: string
  const rows = (sql: string): Promise<Row[]> => rowsOf(lake, sql)
  beforeAll(async () => {
    node = await startDevnet({ seed: 7, blocks: 700 })
    lake = newLake()
    for (const jobs of [
      ['p-blocks', 'x-blocks', 'c-blocks', 'evm-blocks', 'evm-traces'],
      ['evm-tokens', '--blocks', '100,200'],
    ]) {
      const { code, stderr } = await command([
        ...['run', ...jobs, '--node-url', node.url, '--lake', lake, '--log-level', 'error'],
      ])
      expect(code, stderr).toBe(0)
    }
  })
  afterAll(() => node.close())

  test('chain_daily counts each chain once', async () => {
    const found = await rows('SELECT * FROM chain_daily')
    expect(new Set(found.map(({ chain }) => chain))).toEqual(new Set(['P', 'X', 'C']))
    const blocks = { P: 'p_blocks', X: 'x_blocks', C: 'evm_blocks' }
    const transactions = { P: 'p_transactions', X: 'x_transactions', C: 'evm_transactions' }
    for (const chain of ['P', 'X', 'C'] as const) {
      const own = found.filter((row) => row['chain'] === chain)
      const total = (name: string) => sum(own.map((row) => big(row[name] ?? 0)))
      expect(total('block_count'), chain).toBe(
        BigInt((await rows(`SELECT height FROM (SELECT 1 AS height FROM ${blocks[chain]})`)).length),
      )
      const sent = await rows(`SELECT * FROM ${transactions[chain]}`)
      expect(total('transaction_count'), chain).toBe(BigInt(sent.length))
      const atomic = chain === 'C' ? await rows('SELECT burned FROM c_atomic_transactions') : []
      expect(total('atomic_transaction_count')).toBe(BigInt(atomic.length))
      const burned =
        chain === 'C'
          ? sum(sent.map((row) => big(row['gas_used']!) * big(row['effective_gas_price']!))) +
            sum(atomic.map((row) => big(row['burned']!))) * 10n ** 9n
          : sum(sent.map((row) => big(row['burned'] ?? 0))) * 10n ** 9n
      expect(sum(own.map((row) => units(row['burned_in_tokens']!, 18))), chain).toBe(burned)
      if (chain !== 'C') continue
      const active = new Set(
        sent.flatMap((row) => [row['from_address'], row['to_address']]).filter((each) => each !== null),
      )
      expect(own.map((row) => row['active_address_count'])).toEqual([active.size])
    }
  })

  test('p_payments has what none of the owners of the inputs gets', async () => {
    const owners = new Map<string, string[]>()
    const exports =
      "SELECT tx_id, output_index, addresses FROM x_outputs WHERE kind = 'export' UNION ALL SELECT tx_id, output_index, addresses FROM c_atomic_outputs WHERE kind = 'export'"
    const outputs = await rows(
      'SELECT tx_id, height, tx_index, output_index, kind, amount, asset_id, addresses FROM p_outputs',
    )
    for (const { tx_id, output_index, addresses } of [...outputs, ...(await rows(exports))])
      owners.set(`${tx_id}:${output_index}`, listOf(addresses!)!)
    const payers = new Map<string, (string[] | undefined)[]>()
    for (const { height, tx_index, source_tx_id, source_output_index } of await rows('SELECT * FROM p_inputs')) {
      const key = `${height}:${tx_index}`
      payers.set(key, [...(payers.get(key) ?? []), owners.get(`${source_tx_id}:${source_output_index}`)])
    }
    const [avax] = await rows("SELECT native_asset_id AS id FROM chains WHERE alias = 'P'")
    const expected = outputs.flatMap(({ tx_id, height, tx_index, output_index, kind, amount, asset_id, addresses }) => {
      const from = payers.get(`${height}:${tx_index}`)
      if (from === undefined || kind === 'stake') return []
      const known = from.every((each) => each !== undefined) ? [...new Set(from.flat().map(String))].sort() : null
      if (known?.some((address) => listOf(addresses!)!.includes(address)) === true) return []
      const paid = known === null || asset_id !== avax?.['id'] ? null : amount
      return [{ output: `${tx_id}:${output_index}`, from_addresses: known, paid }]
    })
    expect(expected.filter(({ paid }) => paid !== null).length).toBeGreaterThan(20)
    const found = await rows(
      "SELECT tx_id || ':' || output_index AS output, from_addresses, paid, paid_avax FROM p_payments",
    )
    const byOutput = (a: { output?: unknown }, b: { output?: unknown }) =>
      String(a.output) < String(b.output) ? -1 : 1
    expect(found.map(({ paid_avax, ...row }) => row).sort(byOutput)).toEqual(expected.sort(byOutput))
    for (const { paid, paid_avax } of found) if (paid !== null) expect(units(paid_avax!, 9)).toBe(big(paid!))
  })

  test('l1s has the creator, the chains, the manager and the validators of each L1', async () => {
    const found = await rows('SELECT * FROM l1s')
    const transactions = await rows('SELECT * FROM p_transactions')
    const conversions = transactions.filter(({ tx_type }) => tx_type === 'ConvertSubnetToL1Tx')
    expect(found.length).toBe(conversions.length)
    expect(found.length).toBeGreaterThan(0)
    const validations = await rows(
      'SELECT * FROM p_validations WHERE validation_id IS NOT NULL ORDER BY height, tx_index, position',
    )
    for (const l1 of found) {
      const conversion = conversions.find(({ subnet_id }) => subnet_id === l1['subnet_id'])!
      const chains = transactions.filter(
        ({ tx_type, subnet_id }) => tx_type === 'CreateChainTx' && subnet_id === l1['subnet_id'],
      )
      expect(listOf(l1['blockchain_ids']!)).toEqual(
        chains
          .sort((a, b) => Number(a['height']) - Number(b['height']) || Number(a['tx_index']) - Number(b['tx_index']))
          .map(({ tx_id }) => tx_id),
      )
      expect(l1).toMatchObject({
        conversion_tx_id: conversion['tx_id'],
        manager_address: conversion['manager_address'],
        manager_chain_id: conversion['manager_chain_id'],
      })
      const created = transactions.find(
        ({ tx_type, subnet_id }) => tx_type === 'CreateSubnetTx' && subnet_id === l1['subnet_id'],
      )
      expect(l1['subnet_height']).toBe(created?.['height'] ?? null)
      const state = new Map<Cell, { weight: bigint; disabled: boolean }>()
      const members = new Set(
        validations
          .filter(({ action, subnet_id }) => action === 'add' && subnet_id === l1['subnet_id'])
          .map((row) => row['validation_id']!),
      )
      for (const { validation_id: id, action, weight } of validations.filter((row) =>
        members.has(row['validation_id']!),
      )) {
        const before = state.get(id!) ?? { weight: 0n, disabled: false }
        if (action === 'add' || action === 'set_weight') state.set(id!, { ...before, weight: big(weight!) })
        if (action === 'disable') state.set(id!, { ...before, disabled: true })
        if (action === 'add_balance') state.set(id!, { ...before, disabled: false })
      }
      const active = [...state.values()].filter(({ weight, disabled }) => weight > 0n && !disabled)
      expect(l1['validator_count']).toBe(active.length)
      expect(big(l1['total_weight']!)).toBe(sum(active.map(({ weight }) => weight)))
      expect(l1['l1_state']).toBe(active.length > 0 ? 'active' : 'inactive')
    }
  })

  test('validators_now and delegators_now are stakes of the last block, and those of a node once it was read', async () => {
    const stakes = await rows('SELECT * FROM p_stakers WHERE validation_id IS NULL')
    const [now] = await rows('SELECT max(known_time) AS time FROM p_block_times')
    const time = String(now?.['time'])
    const active = (role: string) =>
      stakes.filter(
        (row) =>
          row['staker_role'] === role &&
          row['active_from'] !== null &&
          String(row['active_from']) <= time &&
          (row['active_to'] === null || String(row['active_to']) > time),
      )
    const before = await rows('SELECT * FROM validators_now')
    expect(before.map((row) => row['tx_id']).sort()).toEqual(
      active('validator')
        .map((row) => row['tx_id'])
        .sort(),
    )
    expect(before.length).toBeGreaterThan(0)
    expect((await rows('SELECT * FROM delegators_now')).map((row) => row['tx_id']).sort()).toEqual(
      active('delegator')
        .map((row) => row['tx_id'])
        .sort(),
    )
    const { code, stderr } = await command([
      ...['run', 'validators', '--delegators', '--node-url', node.url, '--lake', lake, '--log-level', 'error'],
    ])
    expect(code, stderr).toBe(0)
    const after = await rows('SELECT * FROM validators_now')
    const read = await rows('SELECT * FROM node_validators')
    expect(after.map((row) => row['node_id']).sort()).toEqual(read.map((row) => row['node_id']).sort())
    for (const validator of read) {
      const found = after.find(
        (row) => row['node_id'] === validator['node_id'] && row['subnet_id'] === validator['subnet_id'],
      )!
      expect(found).toMatchObject({ stake: validator['weight'], read_from: 'node_validators' })
      if (validator['delegator_weight'] === null) continue
      expect([found['delegator_count'], found['delegated']]).toEqual([
        validator['delegator_count'],
        validator['delegator_weight'],
      ])
    }
  })

  test('transfers of tokens have the symbol, the decimals and whole tokens once, although tokens were read at several blocks', async () => {
    const tokens = await rows('SELECT * FROM evm_tokens')
    expect(new Set(tokens.map((row) => row['token_address'])).size).toBeLessThan(tokens.length)
    const transfers = await rows('SELECT * FROM evm_token_transfers')
    const found = await rows('SELECT * FROM evm_token_amounts')
    expect(found.length).toBe(transfers.length)
    for (const row of found) {
      const newest = tokens
        .filter((token) => token['token_address'] === row['token_address'])
        .sort((a, b) => Number(b['block_number']) - Number(a['block_number']))[0]
      expect(row['symbol']).toBe(newest?.['symbol'] ?? null)
      const decimals = newest?.['decimals'] ?? null
      if (row['amount_in_tokens'] === null) continue
      expect(units(row['amount_in_tokens']!, 18)).toBe(big(row['amount']!) * 10n ** BigInt(18 - Number(decimals)))
    }
    expect(found.filter((row) => row['amount_in_tokens'] !== null).length).toBeGreaterThan(20)
  })

  test('method_id and the reason of failed transactions come from input and traces', async () => {
    const transactions = await rows('SELECT * FROM evm_transactions')
    for (const { input, to_address, method_id } of transactions)
      expect(method_id).toBe(to_address !== null && String(input).length >= 10 ? String(input).slice(0, 10) : null)
    const traces = await rows('SELECT * FROM evm_traces WHERE trace_index = 0')
    const failed = transactions.filter(({ status }) => status === 0)
    const found = await rows('SELECT * FROM evm_failed_transactions')
    expect(found.length).toBe(failed.length)
    expect(found.length).toBeGreaterThan(0)
    for (const row of found) {
      const trace = traces.find(({ transaction_hash }) => transaction_hash === row['transaction_hash'])!
      expect(row['reason']).toBe(trace['revert_reason'] ?? trace['error'])
    }
  })
})

describe('chain_daily', () => {
  const day = (n: number) => `2025-01-0${n}T12:00:00Z`
  const hash = `0x${'0'.repeat(64)}`
  const evmBlock = (block_number: number, n: number, chain_id: string, atomic: boolean): TestRow => ({
    ...{ network: 'fuji', chain_id, block_number, block_time: day(n), ext_data_hash: atomic ? hash : null },
  })
  const cBlock = (block_number: number, n: number): TestRow => ({
    ...{
      network: 'fuji',
      blockchain_id: 'c',
      block_number,
      block_time: day(n),
      transaction_count: 2,
      atomic_transaction_count: 1,
    },
  })

  test('takes a day of the C-Chain from c_blocks where evm_blocks has a part of it, and other EVM chains by their ids', async () => {
    const lake = temporaryFolder()
    const files: Record<string, string[]> = {}
    for (const [table, found] of [
      [
        evmBlocks,
        [
          evmBlock(1, 1, '43113', true),
          evmBlock(2, 1, '43113', true),
          evmBlock(3, 2, '43113', true),
          evmBlock(1, 1, '99', false),
        ],
      ],
      [cBlocks, [cBlock(1, 1), cBlock(2, 1), cBlock(3, 2), cBlock(4, 2), cBlock(5, 3)]],
      [
        cAtomicTransactions,
        [1, 2, 3, 4, 5].map(
          (block_number): TestRow => ({
            ...{ network: 'fuji', blockchain_id: 'c', block_number, tx_index: 0, burned: 1000 },
            block_time: day(block_number < 3 ? 1 : block_number < 5 ? 2 : 3),
          }),
        ),
      ],
      [
        evmTransactions,
        [1, 2].map(
          (block_number): TestRow => ({
            ...{ network: 'fuji', chain_id: '43113', block_number, transaction_index: 0, block_time: day(1) },
            ...{
              from_address: '0xa',
              to_address: '0xb',
              status: 1,
              gas_used: 21_000,
              effective_gas_price: 25_000_000_000,
            },
          }),
        ),
      ],
    ] as const) {
      const path = `data/${table.name}/rows.parquet`
      await writeRows(lake, table, path, found)
      files[table.name] = [path]
    }
    await publish(lake, files)
    const found = await rowsOf(
      lake,
      'SELECT chain, day, read_from, block_count, transaction_count, atomic_transaction_count, active_address_count, burned_in_tokens FROM chain_daily ORDER BY chain, day',
    )
    expect(found.map((row) => Object.values(row))).toEqual([
      ['99', '2025-01-01', 'evm_blocks', 1, 0, null, 0, null],
      ['C', '2025-01-01', 'evm_blocks', 2, 2, 2, 2, '0.001052000000000000'],
      ['C', '2025-01-02', 'c_blocks', 2, 4, 2, null, null],
      ['C', '2025-01-03', 'c_blocks', 1, 2, 1, null, null],
    ])
  })
})

test('evm_token_calendar has each day from the first transfer to the last day of the chain', async () => {
  const lake = temporaryFolder()
  const transfer = (block_number: number, n: number, from: string, to: string, amount: number): TestRow => ({
    ...{
      network: 'fuji',
      chain_id: '1',
      block_number,
      block_time: `2025-01-0${n}T23:59:59Z`,
      transaction_index: 0,
      log_index: 0,
      position: 0,
    },
    ...{
      standard: 'erc20',
      token_address: '0xaa',
      from_address: from,
      to_address: to,
      amount,
      amount_raw: String(amount),
    },
  })
  const zero = `0x${'0'.repeat(40)}`
  const token = (block_number: number, symbol: string): TestRow => ({
    ...{ network: 'fuji', chain_id: '1', token_address: '0xaa', block_number, symbol, decimals: 2 },
  })
  const files: Record<string, string[]> = {}
  for (const [table, rows] of [
    [evmTokenTransfers, [transfer(1, 1, zero, '0x1', 500), transfer(2, 4, '0x1', '0x2', 125)]],
    [evmTokens, [token(1, 'OLD'), token(2, 'NEW')]],
    [evmBlocks, [{ network: 'fuji', chain_id: '1', block_number: 9, block_time: '2025-01-06T01:00:00Z' }]],
  ] as const) {
    const path = `data/${table.name}/rows.parquet`
    await writeRows(lake, table, path, rows)
    files[table.name] = [path]
  }
  await publish(lake, files)
  const found = await rowsOf(
    lake,
    'SELECT address, day, balance, symbol, balance_in_tokens FROM evm_token_calendar ORDER BY ALL',
  )
  const balances = { '0x1': [500, 500, 500, 375, 375, 375], '0x2': [null, null, null, 125, 125, 125] }
  const expected = Object.entries(balances).flatMap(([address, days]) =>
    days.flatMap((balance, at) =>
      balance === null
        ? []
        : [[address, `2025-01-0${at + 1}`, String(balance), 'NEW', `${(balance / 100).toFixed(2)}0000000000000000`]],
    ),
  )
  expect(found.map((row) => Object.values(row))).toEqual(expected)
})
