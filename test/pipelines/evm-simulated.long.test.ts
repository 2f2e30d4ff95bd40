import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenContracts } from '../../devnet/c/contracts.ts'
import { evmChainId } from '../../devnet/c/state.ts'
import { type GrowingNetwork, openGrowingNetwork } from '../../devnet/chains/growing-network.ts'
import { createEvmLedger } from '../../devnet/service/evm/execute.ts'
import { walletsOf } from '../../devnet/service/evm/holdings.ts'
import { evmRoutes } from '../../devnet/service/evm/routes.ts'
import type { EvmState } from '../../devnet/service/evm/state.ts'
import { tpsRoutes } from '../../devnet/service/metrics.ts'
import type { Totals } from '../../devnet/service/plumbing/route.ts'
import { totalsOfRoutes } from '../../devnet/service/plumbing/route.ts'
import { balancesPipeline } from '../../pipelines/balances.ts'
import { chainMetricsPipeline } from '../../pipelines/chain-metrics.ts'
import { holdersPipeline } from '../../pipelines/holders.ts'
import { restEvmBlocksPipeline } from '../../pipelines/rest-evm-blocks.ts'
import { restIcmMessagesPipeline } from '../../pipelines/rest-icm-messages.ts'
import { tokenTransfersPipeline } from '../../pipelines/token-transfers.ts'
import { tpsPipeline } from '../../pipelines/tps.ts'
import { walletTransfersPipeline } from '../../pipelines/wallet-transfers.ts'
import type { restIcmMessages } from '../../schemas/rest-networks.ts'
import type { List, Pipeline, RowOf, ServiceSettings, StreamDeclaration, Table } from '../../src/define/index.ts'
import { parseExactJson } from '../../src/lib/json.ts'
import { keyText } from '../../src/lookup/row-identity.ts'
import { testContext } from '../decode/service/reading.ts'
import { type Ask, asking } from '../devnet/service/asking.ts'
import { ofService } from './of-service.ts'
import { streamsOf } from './streams-of.ts'

const settings: ServiceSettings = {
  networkInPath: () => 'fuji',
  blockchain: () => {
    throw new Error('not for EVM chains')
  },
  getAddresses: 64,
  postAddresses: 64,
  tpsPath: '/v1/avg_tps/{chainId}',
  signingSubnetFields: ['signingSubnetId'],
}
const chain = { network: 'local', 'chain-id': String(evmChainId) }

/** Reads a list to its end, in pages of the requested size. */
async function read(ask: Ask, list: List): Promise<Record<string, object[]>> {
  const rows: Record<string, object[]> = {}
  const context = testContext()
  for (let token: string | null = null, pages = 0; pages < 5_000; pages++) {
    const { path, query } = ofService(list.request(token))
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    const { status, text } = await ask(`${path}?${new URLSearchParams(given)}`)
    expect(status, text).toBe(200)
    const page = list.decode(parseExactJson(text), context)
    for (const [name, more] of Object.entries(page.rows)) rows[name] = [...(rows[name] ?? []), ...(more as object[])]
    token = page.next
    if (token === null) break
  }
  expect(context.unknown).toEqual([])
  return rows
}

function listsOf({ walk }: StreamDeclaration, head: number): List[] {
  if (walk.kind === 'blockWindow')
    return [0, 400, 800, 1200].map((from) => walk.list({ from, to: from === 1200 ? head + 1 : from + 400 }))
  if (walk.kind === 'snapshot') return walk.subjects.flatMap(({ lists }) => lists)
  if (walk.kind === 'pageChain' || walk.kind === 'series') return [walk.list]
  throw new Error(walk.kind)
}

type TableRows = Map<string, object[]>

/** All rows of the streams by table, without duplicate keys. */
async function exported(ask: Ask, pipeline: Pipeline, given: object, head: number): Promise<TableRows> {
  const absent = Object.fromEntries(Object.keys(pipeline.parameters).map((name) => [name, undefined]))
  const found = new Map<string, Map<string, object>>()
  for (const stream of streamsOf(pipeline, { ...absent, ...chain, ...given }, settings))
    for (const list of listsOf(stream, head))
      for (const [name, rows] of Object.entries(await read(ask, list))) {
        const table = stream.tables[name] as Table
        const keyOf = keyText(table)
        const known = found.get(table.name) ?? new Map<string, object>()
        found.set(table.name, known)
        for (const row of rows) known.set(keyOf(row), row)
      }
  return new Map([...found].map(([name, rows]) => [name, [...rows.values()]]))
}

function sum(rows: readonly object[], column: string): bigint {
  return rows.reduce((total, row) => total + BigInt((row as Record<string, any>)[column] ?? 0), 0n)
}

describe.each(['spec', 'node'] as const)('the simulated service (%s)', (dialect) => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'chainlake-evm-'))
  let network: GrowingNetwork
  let state: EvmState
  let ask: Ask
  let totals: Totals
  let head: number

  beforeAll(async () => {
    network = await openGrowingNetwork({ cacheDir, seed: 4, accepted: 1_200 })
    const ledger = createEvmLedger(network.stores['C/block'])
    state = await ledger.atHead()
    head = state.blocks.length
    const routes = [...evmRoutes(ledger), ...tpsRoutes(ledger)]
    ask = asking(routes, { dialect })
    totals = await totalsOfRoutes(routes, dialect)
  })

  afterAll(async () => {
    await network.close()
    rmSync(cacheDir, { recursive: true, force: true })
  })

  const expectTotals = (rows: TableRows, tables: readonly string[]) => {
    for (const table of tables) {
      const found = rows.get(table) ?? []
      const { rows: count, sums } = totals[table]!
      expect(found.length, table).toBe(count)
      for (const [column, total] of Object.entries(sums)) expect(sum(found, column), `${table}.${column}`).toBe(total)
    }
  }

  test('returns every transfer of every token once, in small pages', async () => {
    const contracts = tokenContracts.map(({ address }) => address)
    const rows = await exported(ask, tokenTransfersPipeline, { contracts, 'page-size': 7 }, head)
    expectTotals(rows, ['rest_erc20_transfers', 'rest_erc721_transfers', 'rest_erc1155_transfers'])
  })

  test('returns the same ERC-20 transfers by wallet, without duplicates', async () => {
    const rows = await exported(ask, walletTransfersPipeline, { wallets: walletsOf(state) }, head)
    expectTotals(rows, ['rest_erc20_transfers'])
  })

  test('returns the same ERC-721 and ERC-1155 transfers by wallet, with transactions and internal transactions', async () => {
    const kinds = ['erc721', 'erc1155', 'native', 'internal']
    const rows = await exported(ask, walletTransfersPipeline, { wallets: walletsOf(state), kinds }, head)
    expectTotals(rows, [
      'rest_erc721_transfers',
      'rest_erc1155_transfers',
      'rest_native_transactions',
      'rest_internal_transactions',
    ])
  })

  test('returns every message once, also by blockchain and by address', async () => {
    const messages = async (given: object) =>
      (await exported(ask, restIcmMessagesPipeline, given, head)).get('rest_icm_messages') as RowOf<
        typeof restIcmMessages
      >[]
    const all = await messages({})
    expectTotals(new Map([['rest_icm_messages', all]]), ['rest_icm_messages'])
    expect(new Set(all.map((row) => row.message_status)).size).toBe(3)
    const [{ source_blockchain_id, from_address }] = all as [RowOf<typeof restIcmMessages>]
    const source = { 'source-blockchain-id': source_blockchain_id }
    const sent = all.filter((row) => row.source_blockchain_id === source_blockchain_id)
    expect((await messages(source)).length).toBe(sent.length)
    expect((await messages({ ...source, 'from-address': from_address })).length).toBe(
      sent.filter((row) => row.from_address === from_address).length,
    )
    expect((await messages({ 'blockchain-id': source_blockchain_id })).length).toBe(all.length)
  })

  test('returns all balances', async () => {
    const rows = await exported(ask, balancesPipeline, { wallets: walletsOf(state), 'page-size': 3 }, head)
    expectTotals(rows, [
      'rest_erc20_balances',
      'rest_erc1155_balances',
      'rest_erc721_balances',
      'rest_collectible_balances',
      'rest_native_balances',
    ])
  })

  test('returns the native balances alone, and ERC-20 balances without spam', async () => {
    const wallets = walletsOf(state)
    const native = await exported(ask, balancesPipeline, { wallets, lists: ['native'] }, head)
    expectTotals(native, ['rest_native_balances'])
    const all = await exported(ask, balancesPipeline, { wallets, lists: ['erc20'] }, head)
    const given = { wallets, lists: ['erc20'], 'filter-spam-tokens': true }
    const filtered = await exported(ask, balancesPipeline, given, head)
    const rows = all.get('rest_erc20_balances') as { token_reputation: string }[]
    const benign = rows.filter(({ token_reputation }) => token_reputation === 'Benign')
    expect(benign.length).toBeLessThan(rows.length)
    expect(filtered.get('rest_erc20_balances')?.length).toBe(benign.length)
  })

  test('returns all blocks and the points of a series', async () => {
    expectTotals(await exported(ask, restEvmBlocksPipeline, {}, head), ['rest_evm_blocks'])
    const byDay = await exported(ask, chainMetricsPipeline, {}, head)
    expectTotals(byDay, ['metrics_chain_points'])
    const byMonth = await exported(ask, chainMetricsPipeline, { interval: 'month', metrics: ['txCount'] }, head)
    const months = byMonth.get('metrics_chain_points') as { metric_value: number }[]
    const sent = state.blocks.reduce((sum, { txCount }) => sum + txCount, 0)
    expect(months.reduce((sum, { metric_value }) => sum + metric_value, 0)).toBe(sent)
    const points = (await exported(ask, tpsPipeline, {}, head)).get('metrics_chain_tps')!
    expect(points.length).toBeGreaterThan(0)
  })

  test('returns all holders', async () => {
    const contracts = tokenContracts.map(({ address }) => address)
    const rows = await exported(ask, holdersPipeline, { contracts, threshold: '0', 'page-size': 9 }, head)
    expectTotals(rows, ['metrics_token_holders'])
  })
})
