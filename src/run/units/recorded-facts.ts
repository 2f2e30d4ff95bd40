import type { Facts, NetworkIdentity } from '../../define/index.ts'
import type { FactsMessage } from './unit-message.ts'

/** Facts that remember what was asked of them. */
export type RecordedFacts = { readonly facts: Facts; readonly message: () => FactsMessage }

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
    },
    message: () => ({ node: identity, answers }),
  }
}

/** Gives the answers again, in the order of the questions: streams that are made of the same values ask the same. */
export function replayFacts({ node, answers }: FactsMessage): Facts {
  let questions = 0
  return {
    get service(): never {
      throw new RangeError('Units of ranges know nothing of a service.')
    },
    async node() {
      if (node === null) throw new RangeError('Who the node is was not asked before.')
      return node
    },
    async ask<T>() {
      if (questions >= answers.length) throw new RangeError('That was not asked before.')
      return answers[questions++] as T
    },
  }
}
