import { createTransport, type Transport } from '../fetch/transport.ts'
import { identifyNetwork, type NetworkIdentity } from '../sources/node-info.ts'
import { type EmitEvent, longWaitEvent } from './events.ts'
import { defaultConcurrency, type NodeOptions } from './job.ts'

export type OpenNode = { readonly transport: Transport; readonly identity: NetworkIdentity }

/**
 * Reaches a node and asks who it is, passes `use` what it said, and closes the connections afterwards. Throws the reason
 * of `stop` when that is aborted while the node is asked.
 */
export async function withNode<T>(
  options: NodeOptions & {
    readonly stop?: AbortSignal
    /** Asks who the node is, again when that may succeed later. */
    readonly again?: <R>(step: () => Promise<R>) => Promise<R>
  },
  emit: EmitEvent,
  use: (node: OpenNode) => Promise<T>,
): Promise<T> {
  const { nodeUrl, concurrency = defaultConcurrency, requestTimeoutMs, tries, networkId, stop, maxWaitMs } = options
  const { again = (step) => step() } = options
  const transport = createTransport({
    baseUrl: nodeUrl,
    concurrency,
    ...(requestTimeoutMs === undefined ? {} : { timeoutMs: requestTimeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    onRetry: (retry) => emit({ kind: 'retry', ...retry }),
    onLongWait: (wait) => emit(longWaitEvent(wait)),
  })
  try {
    const identity = await again(() =>
      identifyNetwork(transport, {
        ...(networkId === undefined ? {} : { networkId }),
        ...(stop === undefined ? {} : { signal: stop }),
      }),
    )
    for (const message of identity.warnings) emit({ kind: 'warning', message })
    return await use({ transport, identity })
  } finally {
    await transport.close()
  }
}
