import { randomUUID } from 'node:crypto'
import type { ListAnswer } from './list-answer.ts'

/** Where a page begins. */
export type Place = {
  /** Items before it, counted from the head of the list as it is then. */
  readonly position: number
  /** Whether the page that gave the token had no items: the next one has some. */
  readonly followsEmpty: boolean
  /** The original answer, for lists with rows that may disappear between two pages. */
  readonly pinned: ListAnswer | null
}

export type Tokens = {
  /** A new token for a place of a list: route and parameters, without page size. */
  make(list: string, place: Place): string
  /** The place of a token; null when it is unknown, of another list, or too old. */
  find(token: string, list: string): Place | null
  /** From now on the token is unknown. */
  drop(token: string): void
}

/** The maximum number of tokens; beyond it, the oldest ones become unknown. */
const mostTokens = 50_000

/** Remembers what tokens stand for, for `lifeMs` milliseconds after they were made. */
export function createTokens(lifeMs: number, now: () => number = Date.now): Tokens {
  const known = new Map<string, { readonly list: string; readonly place: Place; readonly made: number }>()
  return {
    make: (list, place) => {
      const token = randomUUID()
      for (const [oldest, { made }] of known) {
        if (known.size < mostTokens && now() - made < lifeMs) break
        known.delete(oldest)
      }
      known.set(token, { list, place, made: now() })
      return token
    },
    find: (token, list) => {
      const found = known.get(token)
      if (found === undefined || found.list !== list || now() - found.made >= lifeMs) return null
      return found.place
    },
    drop: (token) => {
      known.delete(token)
    },
  }
}
