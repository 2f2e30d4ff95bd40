import { createTransport, type Transport } from '../fetch/transport.ts'
import { identifyNetwork, type NetworkIdentity } from '../sources/node-info.ts'
import type { EmitEvent } from './events.ts'
import { defaultConcurrency, type NodeOptions } from './job.ts'

export type OpenNode = { readonly transport: Transport; readonly identity: NetworkIdentity }

/** Reaches a node and asks who it is, passes `use` what it said, and closes the connections afterwards. */
export async function withNode<T>(
  options: NodeOptions,
  emit: EmitEvent,
  use: (node: OpenNode) => Promise<T>,
): Promise<T> {
  const { nodeUrl, concurrency = defaultConcurrency, requestTimeoutMs, tries, networkId } = options
  const transport = createTransport({
    baseUrl: nodeUrl,
    concurrency,
    ...(requestTimeoutMs === undefined ? {} : { timeoutMs: requestTimeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    onRetry: (retry) => emit({ kind: 'retry', ...retry }),
  })
  try {
    const identity = await identifyNetwork(transport, networkId === undefined ? {} : { networkId })
    for (const message of identity.warnings) emit({ kind: 'warning', message })
    return await use({ transport, identity })
  } finally {
    await transport.close()
  }
}
