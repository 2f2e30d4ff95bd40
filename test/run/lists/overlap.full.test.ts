import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../../pipelines/rest-utxos.ts'
import { rewardsPipeline } from '../../../pipelines/rewards.ts'
import { tokenTransfersPipeline } from '../../../pipelines/token-transfers.ts'
import { walletTransfersPipeline } from '../../../pipelines/wallet-transfers.ts'
import { restErc20Transfers } from '../../../schemas/rest-tokens.ts'
import { restPTransactions, restRewards, restUtxos } from '../../../schemas/rest-transactions.ts'
import type { Table } from '../../../src/define/index.ts'
import { command, newLake, query, strayFiles } from '../lake-run.ts'
import { argumentsOf, listOf, type Requested, runService, settledRows } from './devnet-jobs.ts'
import { readSummary } from './summary.ts'

const primary = { network: 'local', blockchain: 'p-chain' }
const evm = { network: 'local', 'chain-id': '43112' }
/** Few addresses per request, so that the lists of a small network need many chunks. */
const small = { getAddresses: 5, postAddresses: 5 }

/** Number of stored rows of a table, and number of different keys among them. */
async function counted(lake: string, { name, key }: Table): Promise<{ rows: number; keys: number }> {
  // A version belongs to an observation. Nothing changes here, so each item has one version.
  const columns = key.filter((column) => column !== 'observed_at')
  const [row] = await query(
    lake,
    `SELECT count(*)::INT AS rows, count(DISTINCT (${columns.join(', ')}))::INT AS keys FROM ${name}`,
  )
  return row as { rows: number; keys: number }
}

describe('lists that share rows', () => {
  let node: Devnet
  let addresses: string[]
  let wallets: string[]
  let contracts: string[]
  let truth: Readonly<Record<string, number>>

  beforeAll(async () => {
    node = await startDevnet({ seed: 12, blocks: 200 })
    addresses = await listOf(node, 'p')
    wallets = (await listOf(node, 'evm')).slice(0, 10)
    contracts = await listOf(node, 'contracts')
    truth = (await readSummary(node.url)).rows
  })
  afterAll(() => node.close())

  const transactions = (of?: readonly string[]): Requested => ({
    pipeline: restTransactionsPipeline,
    values: { ...primary, ...(of === undefined ? {} : { addresses: of, 'start-timestamp': 1761955200 }) },
  })
  const utxos = (of: readonly string[]): Requested => ({
    pipeline: restUtxosPipeline,
    values: { ...primary, addresses: of },
  })
  const ofWallets = (): Requested => ({ pipeline: walletTransfersPipeline, values: { ...evm, wallets } })
  const ofTokens = (): Requested => ({ pipeline: tokenTransfersPipeline, values: { ...evm, contracts } })

  const expectOnce = async (lake: string, table: Table, rows: number): Promise<void> => {
    expect(rows).toBeGreaterThan(5)
    expect(await counted(lake, table)).toEqual({ rows, keys: rows })
    expect(await strayFiles(lake)).toEqual([])
  }

  test('rewards of owners in several chunks are stored once', async () => {
    const lake = newLake()
    const { jobs } = await runService(
      node,
      lake,
      [{ pipeline: rewardsPipeline, values: { network: 'local', addresses } }],
      small,
    )
    expect(JSON.stringify(jobs)).not.toContain('"failed"')
    await expectOnce(lake, restRewards, truth['rest_rewards']!)
  })

  test('transactions between addresses of several chunks are stored once', async () => {
    const [chunked, whole] = [newLake(), newLake()]
    await runService(node, chunked, [transactions(addresses)], small)
    await runService(node, whole, [transactions(addresses)], { getAddresses: 1000 })
    expect(await settledRows(chunked, [restPTransactions])).toEqual(await settledRows(whole, [restPTransactions]))
    const { rows } = await counted(chunked, restPTransactions)
    await expectOnce(chunked, restPTransactions, rows)
  })

  test('UTXOs of two jobs with overlapping lists have one version each, whichever job runs first', async () => {
    const lists = [addresses.slice(0, 14), addresses.slice(7, 21)]
    const listed = new Set((await Promise.all(lists.flatMap(chunks).map((chunk) => utxoIds(node, chunk)))).flat())
    const found: unknown[] = []
    for (const jobs of [lists.map(utxos), lists.map(utxos).reverse()]) {
      const lake = newLake()
      await runService(node, lake, jobs, small)
      await expectOnce(lake, restUtxos, listed.size)
      await runService(node, lake, jobs, small)
      await expectOnce(lake, restUtxos, listed.size)
      found.push(await settledRows(lake, [restUtxos]))
    }
    expect(found[1]).toEqual(found[0])
  })

  test.each([
    ['transfers of wallets and of contracts', () => [ofWallets(), ofTokens()], restErc20Transfers],
    [
      'transactions of everybody and of addresses',
      () => [transactions(), transactions(addresses.slice(0, 20))],
      restPTransactions,
    ],
  ] as const)('%s are stored once, in any job order and by two concurrent processes', async (_, jobs, table) => {
    const rows = truth[table.name]!
    const found: unknown[] = []
    for (const order of [jobs(), jobs().reverse()]) {
      const lake = newLake()
      await runService(node, lake, order, small)
      await expectOnce(lake, table, rows)
      found.push(await settledRows(lake, [table]))
    }
    const lake = newLake()
    const ends = await Promise.all(jobs().map((requested) => command(argumentsOf(requested, node, lake))))
    for (const { code, stderr } of ends) expect(code, stderr).toBe(0)
    await expectOnce(lake, table, rows)
    found.push(await settledRows(lake, [table]))
    expect(found[1]).toEqual(found[0])
    expect(found[2]).toEqual(found[0])
  })
})

function chunks(addresses: readonly string[]): string[][] {
  const starts = Array.from({ length: Math.ceil(addresses.length / small.getAddresses) }, (_, at) => at)
  return starts.map((at) => addresses.slice(at * small.getAddresses, (at + 1) * small.getAddresses))
}

/** The ids that the service itself lists for a chunk. */
async function utxoIds(node: Devnet, chunk: readonly string[]): Promise<string[]> {
  const path = `${node.url}/v1/networks/fuji/blockchains/p-chain/utxos`
  const ids: string[] = []
  for (let token: string | undefined = ''; token !== undefined; ) {
    const requested = new URLSearchParams({ addresses: chunk.join(','), includeSpent: 'true', pageSize: '100' })
    if (token !== '') requested.set('pageToken', token)
    const page = (await (await fetch(`${path}?${requested}`)).json()) as Page
    ids.push(...page.utxos.map(({ utxoId }) => utxoId))
    token = page.nextPageToken === '' ? undefined : page.nextPageToken
  }
  return ids
}

type Page = { readonly utxos: readonly { readonly utxoId: string }[]; readonly nextPageToken?: string }
