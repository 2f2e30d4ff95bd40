import { evmEndpoint } from '../../../pipelines/shared/evm-chain.ts'
import { theNode } from '../../define/index.ts'
import { type Connections, createConnections } from '../../run/connections/connections.ts'
import type { NodeOptions } from '../../run/job/job.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import type { SampleOptions } from './node-sample.ts'
import { verifyRpc } from './verify-rpc.ts'
import { verifySource } from './verify-source.ts'

/** How to connect to a node, and how many records of each stream to compare. */
export type ComparedNode = NodeOptions & { readonly sample: number }

type Asking = Pick<SampleOptions, 'stop' | 'onProgress'>

/** Compares the lake with a node; see `verifySource`. */
export async function askNode(rows: LakeRows, { sample, ...node }: ComparedNode, asking: Asking): Promise<Checked> {
  return reached(node, asking, async (connections) => {
    const identity = await connections.facts.node()
    return verifySource(rows, { ...asking, connection: connections.connection(theNode), identity, sample })
  })
}

/** Compares the lake with the JSON-RPC of an EVM chain (`nodeUrl`); see `verifyRpc`. */
export async function askRpc(rows: LakeRows, { sample, ...rpc }: ComparedNode, asking: Asking): Promise<Checked> {
  const { endpoint, route } = evmEndpoint(rpc.nodeUrl)
  return reached(rpc, asking, (connections) =>
    verifyRpc(rows, { ...asking, connection: connections.connection(endpoint), sample }, route),
  )
}

async function reached<T>(
  node: NodeOptions,
  { stop }: Asking,
  use: (connections: Connections) => Promise<T>,
): Promise<T> {
  const connections = createConnections({ ...node, stop, emit: () => undefined })
  try {
    return await use(connections)
  } finally {
    await connections.close()
  }
}
