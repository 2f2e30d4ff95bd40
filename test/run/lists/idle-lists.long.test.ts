import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressText, nodeIdText } from '../../../codec/ids.ts'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { nodeBlocksPipeline } from '../../../pipelines/node-blocks.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { tokenTransfersPipeline } from '../../../pipelines/token-transfers.ts'
import { walletTransfersPipeline } from '../../../pipelines/wallet-transfers.ts'
import { type LocalServer, startServer } from '../../fetch/local-server.ts'
import { newLake } from '../lake-run.ts'
import { listOf, type Requested, runService } from './devnet-jobs.ts'

/** Number of blocks that the service reports for the chain: as many as the longest chain has. */
const head = 70_000_000

let node: Devnet
/** The simulated network with a reported chain length of `head` blocks. */
let long: LocalServer

beforeAll(async () => {
  node = await startDevnet({ seed: 9, blocks: 250 })
  long = await startServer(async ({ path }) => {
    const response = await fetch(`${node.url}${path}`)
    const body = await response.text()
    const isHead = /\/chains\/\d+\/blocks\?pageSize=1$/.test(path)
    return {
      status: response.status,
      headers: { 'content-type': 'application/json' },
      body: isHead ? body.replace(/"blockNumber":"\d+"/, `"blockNumber":"${head}"`) : body,
    }
  })
})
afterAll(async () => {
  await long.close()
  await node.close()
})

/** The requests of jobs, by route. */
const routes = {
  wallets: /transactions:listErc20/,
  contracts: /\/tokens\/0x\w+\/transfers/,
  nodes: /\/nodes\/[\w-]+\/blocks/,
  addresses: /\/transactions\?addresses=/,
  heads: /pageSize=1$/,
}

/** The number of requests of one run, by route. */
async function requestsOf(lake: string, jobs: readonly Requested[]): Promise<Record<string, number>> {
  const before = long.received.length
  await runService(long, lake, jobs)
  const paths = long.received.slice(before).map(({ path }) => path)
  const counts = Object.entries(routes).map(([name, route]) => [name, paths.filter((path) => route.test(path)).length])
  return { ...Object.fromEntries(counts), all: paths.length }
}

type Named = Readonly<Record<'wallets' | 'contracts' | 'nodes' | 'addresses', readonly string[]>>

function jobsOf({ wallets, contracts, nodes, addresses }: Named): Requested[] {
  const evm = { network: 'local', 'chain-id': '43112' }
  const p = { network: 'local', blockchain: 'p-chain' }
  return [
    { pipeline: walletTransfersPipeline, values: { ...evm, wallets } },
    { pipeline: tokenTransfersPipeline, values: { ...evm, contracts } },
    { pipeline: nodeBlocksPipeline, values: { ...p, 'node-ids': nodes } },
    { pipeline: restTransactionsPipeline, values: { ...p, addresses } },
  ]
}

/** The number of pages of a list of the service. */
async function pagesOf(path: string): Promise<number> {
  let pages = 0
  for (let token = ''; ; pages++) {
    const answer = await (await fetch(`${node.url}${path}${token}`)).json()
    const { nextPageToken } = answer as { nextPageToken?: string }
    if (!nextPageToken) return pages + 1
    token = `&pageToken=${nextPageToken}`
  }
}

async function pagesOfAll(paths: readonly string[]): Promise<number> {
  const counts = await Promise.all(paths.map(pagesOf))
  return counts.reduce((sum, count) => sum + count, 0)
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => Buffer.alloc(20, at + 1))
const chain = '/v1/chains/43112'

describe('lists that are read by range', () => {
  test('send one request per empty list, and two per job for the head: the second confirms the first', async () => {
    const idle = numbered(20).map((bytes) => `0x${bytes.toString('hex')}`)
    const addresses = numbered(130).map((bytes) => addressText('local', bytes))
    const jobs = jobsOf({ wallets: idle, contracts: idle, nodes: numbered(5).map(nodeIdText), addresses })
    const lake = newLake()
    const chunks = Math.ceil(addresses.length / 64)
    expect(await requestsOf(lake, jobs)).toEqual({
      wallets: 20,
      contracts: 20,
      nodes: 5,
      addresses: chunks,
      heads: 8,
      all: 56,
    })
    expect(await requestsOf(lake, jobs)).toEqual({ wallets: 0, contracts: 0, nodes: 0, addresses: 0, heads: 8, all: 8 })
  })

  test('cost one request per page when they have few pages', async () => {
    const [evm, contracts, nodes, addresses] = await Promise.all(
      ['evm', 'contracts', 'nodes', 'p'].map((of) => listOf(node, of)),
    )
    const named = {
      wallets: evm!.slice(0, 20),
      contracts: contracts!,
      nodes: nodes!.slice(0, 5),
      addresses: addresses!.slice(0, 64),
    }
    const requests = await requestsOf(newLake(), jobsOf(named))
    const transfers = (wallet: string) => `${chain}/addresses/${wallet}/transactions:listErc20?pageSize=100`
    expect(requests['wallets']).toBe(await pagesOfAll(named.wallets.map(transfers)))
    expect(requests['contracts']).toBe(
      await pagesOfAll(named.contracts.map((one) => `${chain}/tokens/${one}/transfers?pageSize=100`)),
    )
    expect(requests['nodes']).toBe(5)
    expect(requests['addresses']).toBeLessThanOrEqual(2)
  })
})
