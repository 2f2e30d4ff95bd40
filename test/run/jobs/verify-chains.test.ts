import { afterEach, describe, expect, test } from 'vitest'
import { evmBalancesPipeline } from '../../../pipelines/evm-balances.ts'
import { evmLogsPipeline } from '../../../pipelines/evm-logs.ts'
import { pipelines } from '../../../pipelines/index.ts'
import { evmChainParameter } from '../../../pipelines/shared/evm-chain.ts'
import { txpoolPipeline } from '../../../pipelines/txpool.ts'
import type { ChainAnchor } from '../../../src/catalog/catalog.ts'
import { type EvmChainIdentity, type StreamDeclaration, theNode } from '../../../src/define/index.ts'
import { createConnections } from '../../../src/run/connections/connections.ts'
import { verifyChains } from '../../../src/run/jobs/start-jobs.ts'
import { recordedAnswers } from '../../decode/evm/rpc-facts.ts'
import { type EvmNode, startEvmNode } from '../../sources/evm-node.ts'

const granite = recordedAnswers('granite')
const hashAt = (number: number) => granite[number]!.block.hash as string

/** The chain as it would be if it had forked at a block. */
const forkedAt = (number: number) =>
  granite.map((each, at) => (at < number ? each : { ...each, block: { ...each.block, hash: `0x${'f'.repeat(64)}` } }))

const nodes: EvmNode[] = []
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close()
})

/** A catalog that other runs may write into before this one does. */
function catalogWith(anchors: readonly ChainAnchor[] = [], others: readonly (readonly ChainAnchor[])[] = []) {
  const waiting = [...others]
  const catalog = {
    stored: [...anchors],
    anchors: async () => [...catalog.stored],
    recordAnchors: async (basis: readonly ChainAnchor[], added: readonly ChainAnchor[]) => {
      catalog.stored.push(...(waiting.shift() ?? []))
      if (catalog.stored.length !== basis.length) return false
      const isNew = ({ network, number }: ChainAnchor) =>
        !catalog.stored.some((each) => each.network === network && each.number === number)
      catalog.stored.push(...added.filter(isNew))
      return true
    },
  }
  return catalog
}

type Given = Partial<EvmChainIdentity> & {
  readonly chain?: readonly (typeof granite)[number][]
  readonly catalog?: ReturnType<typeof catalogWith>
  readonly isPlan?: true
}

/** Compares a chain with the lake. Resolves to the node, the recorded blocks and the warnings. */
async function verify({ chain = granite, catalog = catalogWith(), isPlan, ...identity }: Given = {}) {
  const node = await startEvmNode(chain)
  nodes.push(node)
  const warnings: string[] = []
  const connections = createConnections({ nodeUrl: node.url, emit: () => undefined })
  const at: EvmChainIdentity = {
    network: 'local',
    chainId: '43112',
    genesisHash: (chain[0]?.block.hash as string | undefined) ?? null,
    endpoint: { url: `${node.url}/rpc` },
    route: '',
    ...identity,
  }
  try {
    await verifyChains([{ chain: at } as StreamDeclaration, { chain: at } as StreamDeclaration], {
      catalog,
      connections,
      ...(isPlan === true ? { isPlan } : {}),
      emit: (event) => void ('message' in event && warnings.push(event.message)),
    })
  } finally {
    await connections.close()
  }
  return { node, warnings, stored: catalog.stored.map(({ network, number, hash }) => [network, number, hash]) }
}

const anchor = (number: number, network = 'local'): ChainAnchor => ({
  network,
  chainId: '43112',
  number,
  hash: hashAt(number),
})
const last = granite.length - 1

describe('an EVM chain is itself', () => {
  test('a new chain is recorded by its first blocks and its last final one', async () => {
    const { stored } = await verify()
    expect(stored).toEqual([0, 1, last].map((number) => ['local', number, hashAt(number)]))
  })

  test('a known chain is compared with one block, once for all streams, and its newest block is recorded', async () => {
    const { node, stored, warnings } = await verify({ catalog: catalogWith([0, 1, 50].map((at) => anchor(at))) })
    const numbers = node.requested().flatMap((calls) => calls.map(({ params: [number] }) => number))
    // The recorded final block is old, so the newest one is requested, too: it tells whether the final one stands still.
    expect(numbers).toEqual(['0x32', 'finalized', 'latest', granite[last]!.block.number])
    expect(stored.at(-1)).toEqual(['local', last, hashAt(last)])
    expect(warnings).toEqual([])
  })

  test.each([
    ['from another genesis', 0, { genesisHash: `0x${'f'.repeat(64)}` }],
    ['from the same genesis', 1, {}],
    ['that forked below the last known block', 50, {}],
  ])('another chain %s is refused', async (_, at, identity) => {
    const catalog = catalogWith([0, 1, 50].map((number) => anchor(number)))
    const run = verify({ chain: forkedAt(at), catalog, ...identity })
    await expect(run).rejects.toMatchObject({
      code: 'catalog.other-source',
      exitCode: 5,
      details: { 'block number': 50, 'in the lake': hashAt(50), 'at the node': `0x${'f'.repeat(64)}` },
    })
    expect(catalog.stored.length).toBe(3)
  })

  test('a shorter chain from the same genesis is refused, too', async () => {
    const run = verify({ chain: forkedAt(1).slice(0, 20), catalog: catalogWith([anchor(0), anchor(1), anchor(50)]) })
    await expect(run).rejects.toMatchObject({ code: 'catalog.other-source', details: { 'block number': 1 } })
  })

  test('a node that has none of the blocks is not compared, which the run says, and records nothing', async () => {
    const { warnings, stored } = await verify({
      chain: granite.slice(20, 40),
      genesisHash: null,
      catalog: catalogWith([anchor(50)]),
    })
    expect(warnings).toEqual([expect.stringContaining('was not compared with the one in the lake')])
    expect(stored).toEqual([['local', 50, hashAt(50)]])
  })

  test('a chain without its first blocks is identified by its last final one', async () => {
    const { stored } = await verify({ chain: granite.slice(20), genesisHash: null })
    expect(stored).toEqual([['local', last, hashAt(last)]])
  })

  test('another run that records another chain first is noticed', async () => {
    const first = { ...anchor(9), hash: `0x${'e'.repeat(64)}` }
    await expect(verify({ catalog: catalogWith([], [[first]]) })).rejects.toMatchObject({
      code: 'catalog.other-source',
    })
  })

  test('a plan compares it and records nothing', async () => {
    const { stored } = await verify({ isPlan: true })
    expect(stored).toEqual([])
    const catalog = catalogWith([anchor(1)])
    await expect(verify({ chain: forkedAt(1), catalog, isPlan: true })).rejects.toMatchObject({
      code: 'catalog.other-source',
    })
  })
})

describe('an EVM chain has one name', () => {
  const known = [anchor(0, 'evm-43112'), anchor(1, 'evm-43112')]

  test('another network for a chain that the lake has is refused with the flags that work', async () => {
    const node = await startEvmNode(granite)
    nodes.push(node)
    const ofNode = { endpoint: theNode, route: '/ext/bc/C/rpc' }
    const chain = verify({ catalog: catalogWith(known), ...ofNode })
    await expect(chain).rejects.toMatchObject({
      code: 'catalog.chain-name',
      exitCode: 5,
      message: 'The lake has this chain as evm-43112/43112, not as local/43112.',
      hint: expect.stringMatching(/--chain http:\/\/127\.0\.0\.1:\d+\/ext\/bc\/C\/rpc,/),
    })
    const url = `${node.url}/ext/bc/C/rpc`
    await expect(verify({ catalog: catalogWith(known), endpoint: { url } })).rejects.toMatchObject({
      hint: expect.stringContaining(`--node-url ${node.url} --chain C,`),
    })
  })

  test('chains of one genesis and chain id in two networks are two chains', async () => {
    const { stored } = await verify({ chain: forkedAt(1), catalog: catalogWith(known) })
    expect(stored).toHaveLength(5)
  })

  test('a lake that has both names by now may read both', async () => {
    const { stored } = await verify({ catalog: catalogWith([...known, anchor(1)]) })
    expect(stored).toHaveLength(5)
  })
})

test('every pipeline over an EVM chain says which chain it reads', async () => {
  const facts = {
    node: async () => ({ network: 'local', chains: [] }),
    ask: async () => ({ chainId: 7n, genesisHash: null, name: 'evm-7', number: 9, hash: '0x', time: 1n }),
  }
  const address = `0x${'1'.repeat(40)}`
  const values = {
    addresses: [address],
    slots: ['0x0'],
    tokens: [address],
    contracts: [address],
    events: ['event A(uint256 b)'],
    calls: ['function a() view returns (uint256 b)'],
    chain: 'http://host',
    step: 10,
  }
  const ofChains = pipelines.filter(({ parameters }) => parameters.chain === evmChainParameter)
  expect(ofChains).toEqual(expect.arrayContaining([evmLogsPipeline, evmBalancesPipeline, txpoolPipeline]))
  for (const { name, parameters, streams } of ofChains) {
    const own = Object.fromEntries(Object.entries(values).filter(([key]) => key in parameters))
    const declared = await streams(own, facts as never)
    expect(
      declared.map(({ chain }) => chain?.chainId),
      name,
    ).toEqual(declared.map(() => '7'))
    expect(declared.length, name).toBeGreaterThan(0)
  }
})
