import {
  type Connection,
  type Endpoint,
  type EvmChainIdentity,
  type Facts,
  type Heads,
  type NetworkIdentity,
  type Parameters,
  type Pipeline,
  p,
  pipeline,
  type Range,
  type RangeSource,
  serviceStream,
  type Tables,
  theNode,
  type ValuesOf,
} from '../../src/define/index.ts'
import { OtherSourceError } from '../../src/errors.ts'
import { getOrCreate } from '../../src/lib/arrays.ts'
import type { Stream } from '../../src/model.ts'
import type { EvmRangeOptions } from '../../src/sources/evm-answers.ts'
import { evmChainId } from '../../src/sources/known-networks.ts'
import { idPattern, parameterError, rangeParameters, requestedBounds, usualUnit } from './parameters.ts'

/** The EVM chain of a job. */
export const evmChainParameter = p.text(
  'The chain to read: the C-Chain of the node (default: C), another chain of the node by its blockchain id, or the JSON-RPC URL of any EVM chain. In chainlake.yaml, environment variables are filled in.',
)

/** Where the chain of a job announces its blocks. */
export const headsParameter = p.text(
  'WebSocket of the chain that announces new blocks to a run with --follow and --max-lag 0, such as ws://127.0.0.1:9650/ext/bc/C/ws (default: derived from the URL of the RPC). In chainlake.yaml, environment variables are filled in.',
)

/** Where the chain ends for a job. */
export const finalityParameter = p.whole(
  'Blocks below the newest one to leave out (default: those after the block that the node calls final, or 64 if it names none).',
)

/** How long a node may trace. */
export const tracerTimeout = p.whole(
  'Seconds that the node may take to trace one transaction (default: the default of the node, usually 5).',
  { least: 1 },
)

/** The blocks that a job reads. */
const evmRangeParameters = {
  ...rangeParameters('block number', 'the last final block'),
  unit: p.whole(`Most blocks per commit (default: ${usualUnit}). Threads that share a range take fewer.`, { least: 1 }),
  finality: finalityParameter,
  'ws-url': headsParameter,
  step: p.whole('Only blocks with numbers that are multiples of it (default: all).', { least: 1 }),
}

/** The stream of a job over whole blocks. */
export function evmBlockStream(name: string, { network, chainId }: EvmChainFacts, step: number): Stream {
  return serviceStream(network, name, { step: step === 1 ? undefined : step }, chainId)
}

type BlockValues = ValuesOf<typeof evmRangeParameters & { readonly chain: typeof evmChainParameter }>

type EvmBlockPipeline<P extends Parameters> = {
  readonly name: string
  readonly comment: string
  /** Besides the chain and the blocks. */
  readonly parameters?: P
  readonly tables: Tables
  readonly optional?: Pipeline['optional']
  /** What is read, such as `the traces`. */
  readonly what: string
  /** Pipelines with streams over the same rows (default: this one). */
  readonly overlapping?: readonly string[]
  readonly source: (
    connection: Connection,
    route: string,
    options: EvmRangeOptions & { readonly underWay: number },
    values: ValuesOf<P>,
  ) => Promise<RangeSource<any>>
  readonly outputs: (values: ValuesOf<P>) => Range<any>['outputs']
}

/** What the walks over blocks of an EVM chain have in common. */
export function blockRange({ endpoint, heads, network, chainId }: EvmChainFacts) {
  return {
    kind: 'range',
    record: 'block',
    endpoint,
    heads,
    order: 'chain',
    context: { network, chainId },
    linkOf: null,
    notice: null,
  } as const
}

/** A pipeline over whole blocks of an EVM chain. */
export function evmBlockPipeline<P extends Parameters>(declaration: EvmBlockPipeline<P>): Pipeline {
  const { name, comment, parameters, tables, optional = {}, what, overlapping = [name], source, outputs } = declaration
  return pipeline({
    name,
    comment,
    parameters: { chain: evmChainParameter, ...evmRangeParameters, ...parameters } as Parameters,
    reads: 'node',
    walks: ['range'],
    tables,
    optional,
    async streams(given, facts) {
      const own = given as ValuesOf<P>
      const { chain, unit = usualUnit, finality, step = 1, 'ws-url': wsUrl, ...part } = given as BlockValues
      const bounds = requestedBounds(part)
      const answers = await askEvmChain(chain, facts, { wsUrl, finality })
      const { chainId, route } = answers
      const walk: Range<any> = {
        ...blockRange(answers),
        what: `${what} of chain ${chainId}`,
        source: (connection, { underWay }) => source(connection, route, { step, underWay, finality }, own),
        ...bounds,
        unit: unit * step,
        overlapping: overlapping.map((other) => `${other}/${chainId}`),
        outputs: outputs(own),
      }
      const filled: Tables = Object.assign({}, ...walk.outputs.map((output) => output.tables))
      return [{ stream: evmBlockStream(name, answers, step), tables: filled, walk, chain: answers }]
    },
  })
}

/** The endpoint of the RPC of a chain: `route` is its path below the base URL. */
type EvmEndpoint = { readonly endpoint: Endpoint; readonly route: string }

/** The chain of a job, which has one identity behind any URL, and where it announces blocks. */
export type EvmChainFacts = EvmChainIdentity & { readonly heads: Heads }

/** Requests the identity of a job's chain. Throws `ConfigError` if the name is not a chain, or the URL not that of a WebSocket. */
export async function askEvmChain(
  chain: string | undefined,
  facts: Facts,
  { wsUrl, finality }: { readonly wsUrl?: string | undefined; readonly finality?: number | undefined } = {},
): Promise<EvmChainFacts> {
  const { endpoint, route } = evmEndpoint(chain ?? 'C')
  const heads = { route, url: wsUrl === undefined ? null : webSocketUrl(wsUrl) }
  const { chainId, genesisHash, name } = await facts.ask(endpoint, async (connection, signal) => {
    const { evmNetworkName, identifyEvmChain } = await import('../../src/sources/evm-answers.ts')
    const found = await identifyEvmChain(connection, route, signal)
    return { ...found, name: evmNetworkName(found.chainId) }
  })
  const network = endpoint === theNode ? networkOf(await facts.node(), chain ?? 'C', chainId) : name
  return { endpoint, route, network, chainId: String(chainId), genesisHash, finality, heads }
}

/** The network of a chain of the node. Throws `OtherSourceError` if the C-Chain of that network has another chain id. */
function networkOf({ network, networkId, chains }: NetworkIdentity, chain: string, chainId: bigint): string {
  const isC = chain === 'C' || chains.some(({ alias, blockchainId }) => alias === 'C' && blockchainId === chain)
  const expected = isC ? evmChainId(networkId) : null
  if (expected === null || BigInt(expected) === chainId) return network
  throw new OtherSourceError(`The C chain of the node has the EVM chain id ${chainId}, not that of ${network}.`, {
    details: { network, 'chain id': String(chainId), 'chain id of the network': expected },
    hint: 'Nothing was written. Check that all paths of the URL (/ext/info, /ext/bc/C/rpc) lead to one node.',
  })
}

/** The URL may contain a key, so errors do not show it. */
function webSocketUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if ((url?.protocol === 'ws:' || url?.protocol === 'wss:') && url.hostname !== '') return text
  throw parameterError(
    url === null ? 'ws-url is not a URL.' : `ws-url begins with ${url.protocol}, not with ws:// or wss://.`,
    'ws-url must be the WebSocket of the chain, such as ws://127.0.0.1:9650/ext/bc/C/ws; omit it to use the one that follows from the RPC.',
  )
}

/** The endpoint of a chain: `C`, a blockchain id, or a URL. A slash at its end stays, since some servers need it. */
export function evmEndpoint(chain: string): EvmEndpoint {
  const url = URL.canParse(chain) ? new URL(chain) : null
  if (url?.protocol === 'http:' || url?.protocol === 'https:')
    return { endpoint: { url: chain }, route: url.pathname.endsWith('/') ? '/' : '' }
  if (chain === 'C' || new RegExp(`^${idPattern}$`).test(chain))
    return { endpoint: theNode, route: `/ext/bc/${chain}/rpc` }
  throw parameterError(
    // What was meant as a URL may contain a key.
    /[/?@]/.test(chain)
      ? 'The URL of the chain is malformed, or does not begin with http:// or https://.'
      : `${JSON.stringify(chain)} names no EVM chain.`,
    'Give C, the blockchain id of a chain of the node, or a URL such as https://rpc.example or http://127.0.0.1:9650/ext/bc/C/rpc.',
  )
}

/** Calls a function once for each object. */
export function once<K extends object, T>(create: (key: K) => T): (key: K) => T {
  const known = new WeakMap<K, T>()
  return (key) => getOrCreate(known, key, () => create(key))
}
