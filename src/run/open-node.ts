import { createTransport, type Transport } from '../fetch/transport.ts'
import { identifyNetwork, type NetworkIdentity } from '../sources/node-info.ts'
import type { EmitEvent } from './events.ts'
import { defaultConcurrency, type NodeOptions } from './job.ts'

export type OpenNode = { readonly transport: Transport; readonly identity: NetworkIdentity }

/**
 * Reaches a node and asks who it is, passes `use` what it said, and closes the connections afterwards. Throws the reason
 * of `stop` when that is aborted while the node is asked.
 */
export async function withNode<T>(
  options: NodeOptions & { readonly stop?: AbortSignal },
  emit: EmitEvent,
  use: (node: OpenNode) => Promise<T>,
): Promise<T> {
  const { nodeUrl, concurrency = defaultConcurrency, requestTimeoutMs, tries, networkId, stop } = options
  const transport = createTransport({
    baseUrl: nodeUrl,
    concurrency,
    ...(requestTimeoutMs === undefined ? {} : { timeoutMs: requestTimeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    onRetry: (retry) => emit({ kind: 'retry', ...retry }),
  })
  try {
    const identity = await identifyNetwork(transport, {
      ...(networkId === undefined ? {} : { networkId }),
      ...(stop === undefined ? {} : { signal: stop }),
    })
    for (const message of identity.warnings) emit({ kind: 'warning', message })
    return await use({ transport, identity })
  } finally {
    await transport.close()
  }
}
