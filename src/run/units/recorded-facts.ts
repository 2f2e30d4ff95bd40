import type { Facts, NetworkIdentity } from '../../define/index.ts'
import type { FactsMessage } from './unit-message.ts'

/** Facts that record the requested facts. */
type RecordedFacts = { readonly facts: Facts; readonly message: () => FactsMessage }

export function recordFacts(facts: Facts): RecordedFacts {
  let identity: NetworkIdentity | null = null
  const answers: unknown[] = []
  let questions = 0
  return {
    facts: {
      get service() {
        return facts.service
      },
      async node() {
        identity = await facts.node()
        return identity
      },
      async ask(place, question) {
        const at = questions++
        const answer = await facts.ask(place, question)
        answers[at] = answer
        return answer
      },
      askService: facts.askService,
    },
    message: () => ({ node: identity, answers }),
  }
}

/** Replays recorded facts in their order: streams of the same values request the same facts. */
export function replayFacts({ node, answers }: FactsMessage): Facts {
  let questions = 0
  return {
    get service(): never {
      throw new RangeError('Units of ranges have no service.')
    },
    async node() {
      if (node === null) throw new RangeError('The identity of the node was not recorded.')
      return node
    },
    async ask<T>() {
      if (questions >= answers.length) throw new RangeError('The requested fact was not recorded.')
      return answers[questions++] as T
    },
    async askService(): Promise<never> {
      throw new RangeError('Units of ranges have no service.')
    },
  }
}
