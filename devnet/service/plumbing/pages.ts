import { randomUUID } from 'node:crypto'
import type { FaultKind } from '../../faults.ts'
import { ServiceError } from './error.ts'

/** Rows of a list in the requested order. A row is computed only when a page needs it. */
export type Rows = {
  readonly count: number
  readonly at: (index: number) => object | Promise<object>
  /** JSON text of a row, if it can be created faster than the row itself. It has the same content as `at`. */
  readonly text?: (index: number) => string
  /**
   * JSON texts of the rows `[from, to)`, separated by commas, in pieces, for long lists that are read repeatedly. They have the same
   * content as `at`.
   */
  readonly texts?: (from: number, to: number) => readonly Buffer[]
}

/** A whole list, from which the plumbing cuts the page. */
export type ListAnswer = {
  /** Name of the field that holds the items. */
  readonly items: string
  /** Every row of the list, in the requested order. */
  readonly rows: Rows | readonly object[]
  /** Additional fields of the response, such as `chainInfo`. */
  readonly extra?: object
  /** A page ends early when the weights of its rows reach `most`, as in the real service with many UTXOs. */
  readonly cut?: { readonly weigh: (index: number) => number; readonly most: number }
  /** Whether later pages show the list as it was at the first request, for lists with rows that may disappear. Default false. */
  readonly pinned?: boolean
}

type PageRequest = {
  /** Identifies the list: route and parameters, without page size. */
  readonly list: string
  readonly token: string | null
  readonly pageSize: number
  readonly fault: FaultKind | null
  /** What happens with an unknown or expired token. */
  readonly end: 'refuse' | 'restart'
}

export type Page = {
  readonly items: readonly object[]
  /** Pieces of JSON text instead of the items, if the list has texts. */
  readonly texts: readonly (Buffer | string)[] | null
  readonly next: string | null
  /** The answer that the page belongs to: that of the first page if it is pinned. */
  readonly of: ListAnswer
}

/** Cuts pages out of lists. */
export type Pager = { read(request: PageRequest, answer: ListAnswer): Promise<Page> }

/** How many tokens of a list a fault may invalidate until the list is read to its end, so that readers finish eventually. */
const mostDeaths = 2
/** The number of rows by which the fault `shifting-list` shifts a list between two pages. */
const shift = 3

export function createPager(tokens: Tokens): Pager {
  const deaths = new Map<string, number>()
  const kill = (token: string, list: string): boolean => {
    const before = deaths.get(list) ?? 0
    if (before >= mostDeaths) return false
    deaths.set(list, before + 1)
    tokens.drop(token)
    return true
  }
  const placeOf = ({ list, token, fault, end }: PageRequest): Place => {
    if (token === null) return start
    const found = tokens.find(token, list)
    const dying = found !== null && (fault === 'expired-token' || fault === 'restarted-token') && kill(token, list)
    if (found !== null && !dying) return found
    if (dying ? fault === 'expired-token' : end === 'refuse') throw ServiceError.of(400, 'Invalid or expired pageToken')
    return start
  }
  return {
    read: async (request, answer) => {
      const { list, token, fault, pageSize } = request
      const place = placeOf(request)
      const of = place.pinned ?? answer
      const rows = rowsOf(of)
      const moved = fault === 'shifting-list' && token !== null ? Math.min(shift, pageSize - 1) : 0
      const from = Math.max(0, place.position - moved)
      const most = Math.min(pageSize, Math.max(0, rows.count - from))
      const wanted = cutShort(of, from, shortened(fault, place, most))
      const texts = textsOf(rows, from, wanted)
      const items = texts === null ? await take(rows, from, wanted) : []
      const position = from + (texts === null ? items.length : wanted)
      if (position >= rows.count) {
        deaths.delete(list)
        return { items, texts, next: null, of }
      }
      const pinned = of.pinned === true ? of : null
      return { items, texts, next: tokens.make(list, { position, followsEmpty: position === from, pinned }), of }
    },
  }
}

const start: Place = { position: 0, followsEmpty: false, pinned: null }

function rowsOf({ rows }: ListAnswer): Rows {
  return 'at' in rows && 'count' in rows ? rows : { count: rows.length, at: (index) => rows[index]! }
}

function shortened(fault: FaultKind | null, place: Place, items: number): number {
  if (fault === 'empty-page' && !place.followsEmpty) return 0
  if (fault === 'short-page') return Math.min(items, Math.max(1, Math.floor(items / 2)))
  return items
}

/** The number of wanted rows that stay below the weight at which a page ends. */
function cutShort({ cut }: ListAnswer, from: number, wanted: number): number {
  if (cut === undefined) return wanted
  let [count, weight] = [0, 0]
  while (count < wanted && weight < cut.most) {
    weight += cut.weigh(from + count)
    count += 1
  }
  return count
}

function textsOf({ text, texts }: Rows, from: number, wanted: number): Page['texts'] {
  if (texts !== undefined) return texts(from, from + wanted)
  if (text === undefined) return null
  return [Array.from({ length: wanted }, (_, at) => text(from + at)).join(',')]
}

async function take(rows: Rows, from: number, wanted: number): Promise<object[]> {
  const items: object[] = []
  while (items.length < wanted) {
    const read = rows.at(from + items.length)
    items.push(read instanceof Promise ? await read : read)
  }
  return items
}

/** The start of a page. */
type Place = {
  /** Number of items before it, counted from the current head of the list. */
  readonly position: number
  /** Whether the page that returned the token had no items. The next page then has some. */
  readonly followsEmpty: boolean
  /** The original answer, for lists with rows that may disappear between two pages. */
  readonly pinned: ListAnswer | null
}

type Tokens = {
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
