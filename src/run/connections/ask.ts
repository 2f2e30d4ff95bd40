import type { Question } from '../../define/index.ts'
import { askNode } from '../../sources/node-client.ts'
import type { Reach } from './reach.ts'

/** Who answers what walks over lists ask. */
export type Asker = {
  /**
   * Gives what `parse` makes of an answer's JSON, integers beyond 2^53 as `bigint`. Throws what `parse` throws, the errors of the
   * service or the node (`RpcError`: it refuses), and the signal's reason.
   */
  ask<T>(
    question: Question,
    options: { readonly signal?: AbortSignal; readonly parse: (answer: unknown) => T },
  ): Promise<T>
}

/** Asks each question where it belongs; a place is opened when it is first asked. */
export function createAsker(reach: Pick<Reach, 'connection' | 'service'>): Asker {
  return {
    ask: (question, options) =>
      question.host === 'node'
        ? askNode(reach.connection(question.place), question, options)
        : reach.service().client.ask(question, options),
  }
}
