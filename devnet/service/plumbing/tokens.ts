import { randomUUID } from 'node:crypto'
import type { ListAnswer } from './list-answer.ts'

/** The start of a page. */
export type Place = {
  /** Number of items before it, counted from the current head of the list. */
  readonly position: number
  /** Whether the page that returned the token had no items. The next page then has some. */
  readonly followsEmpty: boolean
  /** The original answer, for lists with rows that may disappear between two pages. */
  readonly pinned: ListAnswer | null
}

export type Tokens = {
  /** Creates a token for a place in a list. `list` identifies route and parameters, without page size. */
  make(list: string, place: Place): string
  /** The place of a token; null if the token is unknown, belongs to another list, or has expired. */
  find(token: string, list: string): Place | null
  /** Removes the token: it is unknown from now on. */
  drop(token: string): void
}

/** The maximum number of tokens; beyond it, the oldest ones become unknown. */
const mostTokens = 50_000

/** Stores the places of tokens for `lifeMs` milliseconds. */
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
