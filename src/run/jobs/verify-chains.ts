import type { Catalog, ChainAnchor } from '../../catalog/catalog.ts'
import type { EvmChainIdentity, StreamDeclaration } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import type { Connections } from '../connections/connections.ts'
import type { EmitEvent } from '../job/events.ts'

type Comparing = {
  readonly connections: Pick<Connections, 'connection'>
  readonly stop?: AbortSignal | undefined
  readonly emit: EmitEvent
}

/** Other runs may record blocks of the same chains at the same time. */
const mostAttempts = 5

/**
 * Compares the EVM chains of streams with the blocks that identify the chains of the lake, and records such blocks of new chains. Chains of
 * one genesis may have the same chain id, and one chain may be reached under two names of its network.
 *
 * @throws OtherSourceError `catalog.other-source` for another chain than the one in the lake, `catalog.chain-name` for a chain that the lake
 * has under another network.
 */
export async function verifyChains(
  streams: readonly StreamDeclaration[],
  { catalog, ...comparing }: Comparing & { readonly catalog: Pick<Catalog, 'anchors' | 'recordAnchors'> },
): Promise<void> {
  for (const chain of chainsOf(streams)) {
    const blocks = blocksOf(chain, comparing)
    for (let attempt = 1; ; attempt++) {
      const anchors = await catalog.anchors()
      const isRead = await compareChain(chain, anchors, blocks, comparing)
      const added = isRead ? await blocks.identifying(anchors.some(isOf(chain))) : []
      if (added.length === 0 || (await catalog.recordAnchors(anchors, added)) || attempt === mostAttempts) break
    }
  }
}

/** Compares the EVM chains of streams with those of the lake, and records nothing. Throws what `verifyChains` throws. */
export async function compareChains(
  streams: readonly StreamDeclaration[],
  { catalog, ...comparing }: Comparing & { readonly catalog: Pick<Catalog, 'anchors'> },
): Promise<void> {
  const chains = chainsOf(streams)
  if (chains.length === 0) return
  const anchors = await catalog.anchors()
  for (const chain of chains) await compareChain(chain, anchors, blocksOf(chain, comparing), comparing)
}

/** The chains of streams, each endpoint of a chain once. */
function chainsOf(streams: readonly StreamDeclaration[]): EvmChainIdentity[] {
  const chains = streams.flatMap(({ chain }) => (chain === undefined ? [] : [chain]))
  const keyOf = ({ network, chainId, endpoint, route }: EvmChainIdentity) =>
    JSON.stringify([network, chainId, endpoint.url, route])
  return [...new Map([...chains].reverse().map((chain) => [keyOf(chain), chain])).values()].reverse()
}

type Blocks = {
  /** The hash of a block; null if the node does not have the block. */
  readonly hashAt: (number: number) => Promise<string | null>
  /** Blocks of the node that identify its chain; fewer for a chain that is known. */
  readonly identifying: (isKnown: boolean) => Promise<ChainAnchor[]>
}

function blocksOf(
  { network, chainId, genesisHash, endpoint, route, finality }: EvmChainIdentity,
  { connections, stop }: Comparing,
): Blocks {
  const connection = () => connections.connection(endpoint)
  const found = new Map<number, string | null>([[0, genesisHash]])
  const hashAt = async (number: number): Promise<string | null> => {
    const known = found.get(number)
    if (known !== undefined) return known
    const { readBlockHash } = await import('../../sources/evm-chain.ts')
    const hash = await readBlockHash(connection(), route, number, stop)
    found.set(number, hash)
    return hash
  }
  return {
    hashAt,
    async identifying(isKnown) {
      const { readFinalHead } = await import('../../sources/evm-answers.ts')
      const { number: final } = await readFinalHead(connection(), route, finality, stop)
      // The block after the genesis differs between chains of one genesis, and nodes that are far behind have it.
      const numbers = [0, ...(isKnown || final === null || final < 1 ? [] : [1]), ...(final === null ? [] : [final])]
      const anchors: ChainAnchor[] = []
      for (const number of new Set(numbers)) {
        const hash = await hashAt(number)
        if (hash !== null) anchors.push({ network, chainId, number, hash })
      }
      return anchors
    },
  }
}

/** Returns whether the node serves the chain of the lake or one that is new to it; false if it has no block to compare. */
async function compareChain(
  chain: EvmChainIdentity,
  anchors: readonly ChainAnchor[],
  { hashAt }: Blocks,
  comparing: Comparing,
): Promise<boolean> {
  const own = anchors.filter(isOf(chain)).reverse()
  for (const anchor of own) {
    const hash = await hashAt(anchor.number)
    if (hash === null) continue
    if (hash !== anchor.hash) throw otherChain(chain, anchor, hash)
    return true
  }
  if (own.length === 0) {
    await refuseSecondName(chain, anchors, hashAt, comparing)
    return true
  }
  comparing.emit({
    kind: 'warning',
    message: `The chain ${chain.chainId} of ${chain.network} was not compared with the one in the lake: the node has none of the blocks that identify it.`,
    details: { blocks: own.map(({ number }) => number).join(', ') },
    once: true,
  })
  return false
}

function isOf({ network, chainId }: EvmChainIdentity): (anchor: ChainAnchor) => boolean {
  return (anchor) => anchor.network === network && anchor.chainId === chainId
}

/** A genesis block may be that of several chains, so it does not show that two names mean one chain. */
async function refuseSecondName(
  chain: EvmChainIdentity,
  anchors: readonly ChainAnchor[],
  hashAt: Blocks['hashAt'],
  { connections }: Comparing,
): Promise<void> {
  const others = anchors.filter(({ chainId, number }) => chainId === chain.chainId && number > 0)
  for (const network of new Set(others.map((anchor) => anchor.network)))
    for (const anchor of others.filter((each) => each.network === network).reverse()) {
      const hash = await hashAt(anchor.number)
      if (hash === anchor.hash) throw secondName(chain, anchor, connections.connection(chain.endpoint).url)
      if (hash !== null) break
    }
}

function otherChain({ network, chainId, endpoint }: EvmChainIdentity, anchor: ChainAnchor, found: string) {
  return new OtherSourceError(
    `The node serves another chain than the one that the lake has as ${network}/${chainId}.`,
    {
      details: { 'block number': anchor.number, 'in the lake': anchor.hash, 'at the node': found },
      hint: `Chains may share their chain id and genesis. Point ${endpoint.url === null ? '--node-url' : '--chain'} at a node of the same chain, or use another --lake. If the chain began again, \`chainlake repair --chain ${network}/${chainId}\` removes the rows of the earlier one. Nothing was written.`,
    },
  )
}

/** `url`: the base URL of the connection, without secrets. */
function secondName({ network, chainId, endpoint, route }: EvmChainIdentity, anchor: ChainAnchor, url: string) {
  return new OtherSourceError(
    `The lake has this chain as ${anchor.network}/${chainId}, not as ${network}/${chainId}.`,
    {
      code: 'catalog.chain-name',
      details: { 'block number': anchor.number, hash: anchor.hash },
      hint: `Rows of one chain under two networks would count twice. Run the job with ${flagsOf(endpoint.url === null, url, route)}, as the lake was written. Nothing was written.`,
    },
  )
}

/** The flags with which the same endpoint is named the other way: as a chain of a node, or by its URL. */
function flagsOf(isOfNode: boolean, url: string, route: string): string {
  if (isOfNode) return `--chain ${url.replace(/\/$/, '')}${route}`
  const [, node, chain] = /^(https?:\/\/.*?)\/ext\/bc\/([^/]+)\/rpc\/?$/.exec(url) ?? []
  return node === undefined || chain === undefined
    ? '--node-url and the URL of a node of that network, and --chain and the blockchain id (C for the C-Chain)'
    : `--node-url ${node} --chain ${chain}`
}
