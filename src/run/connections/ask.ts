import type { Question } from '../../define/index.ts'
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

/** Sends each request to its host. A connection is opened, and its client loaded, with the first request that needs it. */
export function createAsker(connections: Pick<Connections, 'connection' | 'service'>): Asker {
  return {
    async ask(question, options) {
      if (question.host !== 'node') return connections.service().client.ask(question, options)
      const connection = connections.connection(question.endpoint)
      if ('subject' in question)
        return (await import('../../sources/state/evm-cells.ts')).readCell(connection, question, options)
      return (await import('../../sources/node-client.ts')).askNode(connection, question, options)
    },
  }
}
