import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, type FaultPlan, startDevnet } from '../../../devnet/serve.ts'
import { chainMetrics } from '../../../devnet/service/metrics.ts'

const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-whole-'))
let devnet: Devnet
let rows: Record<string, number>
const lists: Record<string, string[]> = {}

beforeAll(async () => {
  devnet = await startDevnet({ seed: 9, blocks: 700, legacy: true, cacheDir, slowMs: 1, tokens: { end: 'refuse' } })
  rows = ((await ask('/devnet/summary')) as { body: { rows: Record<string, number> } }).body.rows
  for (const of of ['p', 'x', 'c', 'evm', 'contracts', 'nodes', 'l1']) {
    lists[of] = (await ask(`/devnet/addresses?of=${of}`)).text.trim().split('\n')
  }
})
afterAll(async () => {
  await devnet.close()
  rmSync(cacheDir, { recursive: true, force: true })
})

async function ask(path: string, body?: object): Promise<{ status: number; text: string; body: any }> {
  const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const answer = await request(`${devnet.url}${path}`, options as object)
  const text = await answer.body.text()
  return { status: answer.statusCode, text, body: text.startsWith('{') ? JSON.parse(text) : null }
}

/** Reads a list as a simple client does: it retries, and starts again after an expired token. Returns the items by key. */
async function read(
  path: string,
  items: string,
  keyOf: (item: any) => string,
  body?: object,
): Promise<Map<string, any>> {
  const seen = new Map<string, any>()
  let token = ''
  for (let tries = 0; tries < 2_000; tries += 1) {
    const query = token === '' ? '' : `${path.includes('?') ? '&' : '?'}pageToken=${token}`
    const answer = await ask(`${path}${query}`, body).catch(() => null)
    if (answer?.status === 400 && token !== '') token = ''
    else if (answer?.status === 400 || answer?.status === 404) throw new Error(`${path}: ${answer.text}`)
    if (answer === null || answer.status >= 300 || answer.body === null) continue
    for (const item of answer.body[items]) seen.set(keyOf(item), item)
    token = answer.body.nextPageToken ?? ''
    if (token === '') return seen
  }
  throw new Error(`${path} has no end`)
}

async function total(reads: readonly Promise<Map<string, any>>[]): Promise<number> {
  const seen = await Promise.all(reads)
  return seen.reduce((sum, { size }) => sum + size, 0)
}

const network = '/v1/networks/fuji'
const chain = (alias: string) => `${network}/blockchains/${alias}-chain`
const evm = '/v1/chains/43112'
const erc = (type: string) => (item: any) =>
  `${type} ${item.blockNumber} ${item.logIndex} ${item[`erc${type}Token`].tokenId}`

const exports: readonly (readonly [string, () => Promise<number>])[] = [
  ['rest_evm_chains', async () => (await ask('/v1/chains')).body?.chains.length ?? 0],
  [
    'rest_p_transactions',
    () => total([read(`${chain('p')}/transactions?pageSize=100`, 'transactions', ({ txHash }) => txHash)]),
  ],
  [
    'rest_x_transactions',
    () => total([read(`${chain('x')}/transactions?pageSize=100`, 'transactions', ({ txHash }) => txHash)]),
  ],
  [
    'rest_c_atomic_transactions',
    () => total([read(`${chain('c')}/transactions?pageSize=100`, 'transactions', ({ txHash }) => txHash)]),
  ],
  [
    'rest_utxos',
    () => {
      return total(
        ['p', 'x', 'c'].map((alias) => {
          const path = `${chain(alias)}/utxos?pageSize=1024&includeSpent=true&sortOrder=asc`
          return read(path, 'utxos', ({ utxoId }) => utxoId, { addresses: lists[alias]!.join(',') })
        }),
      )
    },
  ],
  [
    'rest_rewards',
    () =>
      total([
        read(
          `${network}/rewards?pageSize=100&addresses=${lists.p!.slice(0, 64)}`,
          'historicalRewards',
          ({ utxoId }) => utxoId,
        ),
      ]),
  ],
  [
    'rest_validators',
    () =>
      total([
        read(
          `${network}/validators?pageSize=100&sortBy=blockIndex&sortOrder=asc`,
          'validators',
          ({ txHash, nodeId }) => `${txHash} ${nodeId}`,
        ),
      ]),
  ],
  ['rest_icm_messages', () => total([read('/v1/icm/messages?pageSize=100', 'messages', ({ messageId }) => messageId)])],
  [
    'rest_x_vertices',
    () => total([read(`${chain('x')}/vertices?pageSize=100`, 'vertices', ({ vertexHash }) => vertexHash)]),
  ],
  [
    'rest_node_blocks',
    () => {
      return total(
        ['p', 'x'].flatMap((alias) => {
          return lists.nodes!.map((node) =>
            read(`${chain(alias)}/nodes/${node}/blocks`, 'blocks', ({ blockHash }) => blockHash),
          )
        }),
      )
    },
  ],
  ['rest_evm_blocks', () => total([read(`${evm}/blocks?pageSize=100`, 'blocks', ({ blockNumber }) => blockNumber)])],
  [
    'rest_erc20_transfers',
    async () => {
      const all = lists.evm!.map((wallet) =>
        read(`${evm}/addresses/${wallet}/transactions:listErc20?pageSize=100`, 'transactions', erc('20')),
      )
      return new Set((await Promise.all(all)).flatMap((seen) => [...seen.keys()])).size
    },
  ],
  ['rest_erc20_balances', () => balances('listErc20', 'erc20TokenBalances', '?filterSpamTokens=false')],
  ['rest_erc721_balances', () => balances('listErc721', 'erc721TokenBalances')],
  ['rest_erc1155_balances', () => balances('listErc1155', 'erc1155TokenBalances')],
  ['rest_collectible_balances', () => balances('listCollectibles', 'collectibleBalances')],
  [
    'metrics_token_holders',
    () =>
      total(
        lists.contracts!.map((contract) =>
          read(
            `/v2/chains/43112/contracts/${contract}/balances?threshold=0&pageSize=50`,
            'addresses',
            ({ address }) => address,
          ),
        ),
      ),
  ],
  [
    'metrics_chain_points',
    () =>
      total(
        chainMetrics.map((metric) =>
          read(`/v2/chains/43112/metrics/${metric}?pageSize=5`, 'results', ({ timestamp }) => timestamp),
        ),
      ),
  ],
  ['metrics_chain_tps', () => total([read('/v1/avg_tps/43112', 'results', ({ timestamp }) => timestamp)])],
]

function balances(route: string, items: string, query = ''): Promise<number> {
  return total(
    lists.evm!.map((wallet) =>
      read(`${evm}/addresses/${wallet}/balances:${route}${query}`, items, (item) => `${item.address} ${item.tokenId}`),
    ),
  )
}

const plans: readonly (readonly [string, FaultPlan | null])[] = [
  ['without faults', null],
  [
    'with faults',
    {
      every: 6,
      kinds: [
        'short-page',
        'empty-page',
        'shifting-list',
        'expired-token',
        'restarted-token',
        'truncated',
        'reset',
        'server-error',
      ],
    },
  ],
]

describe.each(plans)('the lists of all routes, %s', (_, plan) => {
  beforeAll(() => devnet.setFaults(plan))
  afterAll(() => devnet.setFaults(null))

  test.each(exports)('have as many items as the summary counts: %s', async (table, count) => {
    expect(await count()).toBe(rows[table])
    expect(rows[table]).toBeGreaterThan(0)
  })

  test('have as many transfers of contracts as the summary counts', async () => {
    const seen = (
      await Promise.all(
        lists.contracts!.map((contract) => {
          return read(`${evm}/tokens/${contract}/transfers?pageSize=100`, 'transfers', (item) => {
            const type = ['20', '721', '1155'].find((each) => `erc${each}Token` in item)!
            return `${erc(type)(item)}`
          })
        }),
      )
    ).flatMap((each) => [...each.keys()])
    for (const type of ['20', '721']) {
      expect(seen.filter((key) => key.startsWith(`${type} `))).toHaveLength(rows[`rest_erc${type}_transfers`]!)
    }
  })
})
