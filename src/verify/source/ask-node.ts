import { evmEndpoint } from '../../../pipelines/shared/evm-chain.ts'
import { theNode } from '../../define/index.ts'
import { type Connections, createConnections } from '../../run/connections/connections.ts'
import type { EmitEvent } from '../../run/job/events.ts'
import type { NodeOptions } from '../../run/job/job.ts'
import { identifyEvmChain } from '../../sources/evm-chain.ts'
import { bothChecked, type Checked, type LakeRows } from '../lake/lake-rows.ts'
import { type ComparedLists, rereadLists } from './ask-lists.ts'
import type { SampleOptions } from './node-sample.ts'
import { verifyRpc } from './verify-rpc.ts'
import { verifySource } from './verify-source.ts'

/** How to connect to a node, and how many records of each stream to compare. */
export type ComparedNode = NodeOptions &
  Pick<ComparedLists, 'sample'> & {
    /** The lists of the node to compare. Default: none. */
    readonly lists?: Omit<ComparedLists, 'sample'>
    /** Receives the events of requests. Default: they are not reported. */
    readonly emit?: EmitEvent
  }

type Asking = Pick<SampleOptions, 'stop' | 'onProgress'>

/** Compares the lake with a node; see `verifySource` and `rereadLists`. */
export async function askNode(
  rows: LakeRows,
  { sample, lists, ...node }: ComparedNode,
  asking: Asking & { readonly isWhole: boolean },
): Promise<Checked> {
  return reached(node, asking, async (connections) => {
    const identity = await connections.facts.node()
    const connection = connections.connection(theNode)
    const ofRanges = await verifySource(rows, { ...asking, connection, identity, sample })
    if (lists === undefined) return ofRanges
    const limits = { most: Number.POSITIVE_INFINITY, ofList: sample }
    const reached = { source: 'node', connections, isWhole: asking.isWhole, limits } as const
    return bothChecked(ofRanges, await rereadLists(rows, reached, { ...lists, sample }, asking))
  })
}

/** Compares the lake with the JSON-RPC of an EVM chain (`nodeUrl`); see `verifyRpc`. */
export async function askRpc(rows: LakeRows, { sample, ...rpc }: ComparedNode, asking: Asking): Promise<Checked> {
  const { endpoint, route } = evmEndpoint(rpc.nodeUrl)
  return reached(rpc, asking, (connections) =>
    verifyRpc(rows, { ...asking, connection: connections.connection(endpoint), sample }, route),
  )
}

/** Requests the identity of the sources that the lake is compared with, so that a wrong URL fails before the work begins. */
export async function reachSources(
  { node, rpc }: { readonly node?: ComparedNode; readonly rpc?: ComparedNode },
  stop: AbortSignal,
): Promise<void> {
  if (node !== undefined) await reached(node, { stop }, (connections) => connections.facts.node())
  if (rpc === undefined) return
  const { endpoint, route } = evmEndpoint(rpc.nodeUrl)
  await reached(rpc, { stop }, (connections) => identifyEvmChain(connections.connection(endpoint), route, stop))
}

async function reached<T>(
  node: Omit<ComparedNode, 'sample' | 'lists'>,
  { stop }: Pick<Asking, 'stop'>,
  use: (connections: Connections) => Promise<T>,
): Promise<T> {
  const connections = createConnections({ emit: () => undefined, ...node, stop })
  try {
    return await use(connections)
  } finally {
    await connections.close()
  }
}
