import type { Question } from '../../define/index.ts'
import { askNode } from '../../sources/node-client.ts'
import { readCell } from '../../sources/state/evm-cells.ts'
import type { Connections } from './connections.ts'

/** Sends the requests of list walks. */
export type Asker = {
  /**
   * Sends a request and returns what `parse` makes of the JSON response. Integers beyond 2^53 arrive as `bigint`. Throws the errors of
   * `parse`, the errors of the service or the node (`RpcError`: the node refuses the request), and the reason of the signal.
   */
  ask<T>(
    question: Question,
    options: { readonly signal?: AbortSignal; readonly parse: (answer: unknown) => T },
  ): Promise<T>
}

/** Sends each request to its host. A connection is opened with the first request that needs it. */
export function createAsker(connections: Pick<Connections, 'connection' | 'service'>): Asker {
  return {
    ask(question, options) {
      if (question.host !== 'node') return connections.service().client.ask(question, options)
      const connection = connections.connection(question.endpoint)
      return 'subject' in question ? readCell(connection, question, options) : askNode(connection, question, options)
    },
  }
}
