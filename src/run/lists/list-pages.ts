import { hash } from 'node:crypto'
import { requestedRows } from '../../decode/requested-rows.ts'
import type { List, Page, ReadingContext } from '../../define/index.ts'
import { HttpError, RpcError, TransportError } from '../../errors.ts'
import { countText } from '../../lib/text.ts'
import type { Asker } from '../connections/connections.ts'

/** A page of a list, or the event that a page token died and reading starts again at the beginning of the list. */
export type ListEvent = Found | { readonly restarted: true }

/** A page, and its `pageMark`. It is not computed for the only page of a list. */
type Found = { readonly page: Page; readonly mark: string | null }

type ListReading = {
  readonly client: Asker
  readonly signal: AbortSignal
  /** Creates a context. Called whenever reading starts at the beginning of the list. */
  readonly context: () => ReadingContext
  /** The token of the first page to read. Default: the beginning of the list. */
  readonly token?: string | null
  /** Keys of the first page of the list, when `token` comes from an earlier reading. */
  readonly firstKeys?: ReadonlySet<string>
  /** The `pageMark` of the page before that of `token`, when an earlier reading knows it. */
  readonly before?: string | null
  /** Nothing but the answer says where the list ends: a last page that is full, or empty behind full ones, is requested once more. */
  readonly doubtsEnd?: boolean
}

/** How often a page is requested while its token seems dead, or while it repeats the page before it. A doubtful end is requested twice. */
const maxRequests = 3
/** Pages after which the next page of a list is requested ahead. */
const pagesBeforeAhead = 3
/** How often reading may start again at the beginning of the list before the job fails. */
const maxRestarts = 8
/** How often in a row that may happen at the second page: its token is fresh. */
const maxFreshRestarts = 2

/** Maximum number of pages, and of their items, that a list or a window reads before its turn. A page has from one to some thousand items. */
export const mostWaitingPages = 40
export const mostWaitingItems = 8192

/** A page with fewer items is not full, where the request does not say how many items a page has. */
export const leastFullPage = 10

/** Names such as pageSize, per_page, limit and maxResults; account and country are none. */
const sizeName =
  /^\W*(?:(?:page|per|max|num|results?|items?)[\W_]*)*(?:size|limit|count|results|items|take|top)\W*$|^per[\W_]*page$/i

/** What a request says about the number of items on a page, such as `pageSize=100`; null where it says nothing. */
export function pageSizeOf(list: List): number | null {
  const request = list.request(null)
  if (!('query' in request)) return null
  const stated = Object.entries({ ...request.query, ...('body' in request ? request.body : {}) })
  const sizes = stated.flatMap(([name, value]) =>
    sizeName.test(name) && /^[1-9]\d{0,8}$/.test(String(value)) ? [Number(value)] : [],
  )
  return sizes.length === 0 ? null : Math.min(...sizes)
}

/** What an answer is if it is no next page. */
type NoPage =
  /** The token is dead: the service refused it, or answered with the first page. */
  | { readonly kind: 'dead'; readonly refusal: HttpError | null }
  /** The page before it again. */
  | { readonly kind: 'repeated' }

type Position = {
  readonly token: string | null
  /** Keys of the first page of this reading; null when reading began at a later page. */
  readonly beginning: ReadonlySet<string> | null
  /** The `pageMark` of the first page, and of the page before. */
  readonly first: string | null
  readonly before: string | null
  /** Keys of the page before, as far as this reading knows them. */
  readonly keysBefore: ReadonlySet<string>
  readonly longest: number
}

const start: Position = { token: null, beginning: null, first: null, before: null, keysBefore: new Set(), longest: 0 }

/**
 * Yields the pages of a list in their order until the end of the list, which is a missing or empty token. A token dies in two ways: the
 * service refuses it, or responds with the first page again. The request is retried; then a `restarted` event follows, and reading starts
 * again at the beginning of the list. In a long list the next page is requested while the caller processes the current one.
 *
 * A service may answer with the page before instead of the next page. The items of the next page would be missing. Such a page is requested
 * again, and then refused, unless the list declares that it repeats. Throws `TransportError` for such a page, for a list that has no end, or
 * where tokens die so often that the end cannot be reached.
 */
export async function* listPages(list: List, reading: ListReading): AsyncGenerator<ListEvent, void, undefined> {
  let at: Position = { ...start, token: reading.token ?? null, before: reading.before ?? null }
  let context = reading.context()
  let watch = watchEnd(list, at.token)
  const watchRestart = watchRestarts(list)
  /** Pages since the beginning of the list. A run that finds only known items on the first pages must not request more. */
  let read = 0
  let ahead: Promise<unknown> | null = null
  for (;;) {
    const found = await pageOf(list, at, context, reading, ahead)
    ahead = null
    if ('kind' in found) {
      if (found.kind === 'repeated' && list.repeats === 'end') return
      watchRestart(found, at.token, read)
      at = start
      read = 0
      context = reading.context()
      watch = watchEnd(list, null)
      yield { restarted: true }
      continue
    }
    const { page } = found
    watch(page)
    if (++read > pagesBeforeAhead && page.next !== null) {
      ahead = ask(list, page.next, reading)
      // The failure is handled when the page is read. If the page is never read, the failure does not matter.
      ahead.catch(() => undefined)
    }
    yield found
    if (page.next === null) return
    at = positionAfter(at, found)
  }
}

function positionAfter(at: Position, { page, mark }: Found): Position {
  const keys = new Set(page.items.map(({ key }) => key))
  const begun = at.token === null ? { beginning: keys, first: mark } : {}
  const longest = Math.max(at.longest, page.items.length)
  return { ...at, ...begun, longest, token: page.next, ...(mark !== null && { before: mark, keysBefore: keys }) }
}

/** Returns a function that throws if a list may not begin again after an answer that is no next page. `read`: pages since its beginning. */
function watchRestarts(list: List): (found: NoPage, token: string | null, read: number) => void {
  let restarts = 0
  let freshRestarts = 0
  return (found, token, read) => {
    if (found.kind === 'repeated') throw repeatedPage(list, token)
    restarts++
    freshRestarts = read === 1 ? freshRestarts + 1 : 0
    const { refusal } = found
    if (list.isCounted === true && refusal !== null) throw refusedNumber(token, refusal)
    const isStuck = freshRestarts > maxFreshRestarts
    if (isStuck && refusal === null) throw repeatedPage(list, token)
    if (isStuck || restarts > maxRestarts) throw deadTokens(list, restarts, refusal)
  }
}

function ask(list: List, token: string | null, { client, signal }: ListReading): Promise<unknown> {
  return client.ask(list.request(token), { signal, parse: (answer) => answer })
}

/** Identifies what is on a page: equal for equal pages. Null for a page without anything. */
function pageMark({ items, rows }: Page): string | null {
  if (items.length > 0) return keysMark(items.map(({ key }) => key))
  const own = Object.values(rows as Readonly<Record<string, readonly object[]>>).flat()
  if (own.length === 0) return null
  return keysMark(own.map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value))))
}

/** The mark of a page with items with these keys; null without keys. */
export function keysMark(keys: readonly string[]): string | null {
  return keys.length === 0 ? null : hash('sha256', keys.join('\n'), 'hex').slice(0, 32)
}

async function pageOf(
  list: List,
  at: Position,
  context: ReadingContext,
  reading: ListReading,
  ahead: Promise<unknown> | null,
): Promise<Found | NoPage> {
  let answer = ahead ?? ask(list, at.token, reading)
  for (let requests = 1; ; requests++) {
    const found = await pageIn(list, at, context, reading, answer)
    const isDoubtful =
      'kind' in found
        ? requests < maxRequests
        : requests === 1 && reading.doubtsEnd === true && endsFull(list, at, found.page)
    if (!isDoubtful) return found
    // The state of a list is empty at its beginning.
    if (at.token === null) context.memory.clear()
    answer = ask(list, at.token, reading)
  }
}

/** Whether a list ends with a page that is full, or that is empty behind full ones: the service may have left out a token. */
function endsFull(list: List, { token, longest }: Position, { items, next }: Page): boolean {
  if (next !== null || list.isOnePage === true) return false
  const full = token === null ? (pageSizeOf(list) ?? Number.POSITIVE_INFINITY) : longest
  if (full < leastFullPage) return false
  return (token !== null && items.length === 0) || items.length >= full
}

async function pageIn(
  list: List,
  at: Position,
  context: ReadingContext,
  { firstKeys }: ListReading,
  answer: Promise<unknown>,
): Promise<Found | NoPage> {
  const { token } = at
  try {
    const page = requestedRows(list.decode(await answer, context, token), list)
    const mark = token === null && page.next === null ? null : pageMark(page)
    return token === null ? { page, mark } : nextPage(list, at, { page, mark }, firstKeys)
  } catch (error) {
    const refused = refusalPage(list, error, context, token)
    if (refused !== null) return { page: refused, mark: null }
    if (token === null || !isRefusal(error)) throw error
    return { kind: 'dead', refusal: error }
  }
}

function nextPage(list: List, at: Position, found: Found, firstKeys: ReadonlySet<string> | undefined): Found | NoPage {
  const { page, mark } = found
  const { repeats, isCounted } = list
  const isRepeated = mark !== null && mark === at.before
  if (isRepeated && repeats === 'allowed') return found
  if (hasNothingNew(list, at, found)) return { page: { ...page, next: null }, mark }
  const isFirst = mark !== null && mark === at.first
  const startsAgain = isFirst || startsOver(page, at.beginning, firstKeys)
  // Where the second page is the first one again, its token may be dead. Numbers of pages do not die.
  if (isRepeated && (repeats === 'end' || !startsAgain)) return { kind: 'repeated' }
  if (isFirst && isCounted === true) return { kind: 'repeated' }
  return startsAgain && isCounted !== true ? { kind: 'dead', refusal: null } : found
}

/**
 * Whether a page has nothing new and is the last one for it: it leads to itself and has only items of the page before it, such as the last item
 * with a token that is never null. If it has all of them, it takes the place of another page, unless a list has one item only. Where a page has
 * room for one item only, the service may ignore the token.
 */
function hasNothingNew(list: List, { token, first, before, keysBefore }: Position, { page, mark }: Found): boolean {
  const { items, next } = page
  const isOnlyItem = mark === first && items.length === 1 && pageSizeOf(list) !== 1
  if (mark === before && !isOnlyItem) return false
  if (next !== token && list.repeats !== 'end') return false
  return items.length > 0 && items.every(({ key }) => keysBefore.has(key))
}

/** The page that a list, or a request for a key, derives from a refusal of the node; null when the error is a failure. */
export function refusalPage(
  { refused }: Pick<List, 'refused'>,
  error: unknown,
  context: ReadingContext,
  token: string | null,
): Page | null {
  if (!(error instanceof RpcError)) return null
  return refused?.({ code: error.rpcCode, message: error.answer }, context, token) ?? null
}

/**
 * Whether a page is the first page again. Most of its items must match, because new items may be on top, and one item may be on every page.
 * Of a beginning that an earlier reading has seen, only one item is known: then the page must begin with it.
 */
function startsOver(
  { items }: Page,
  beginning: ReadonlySet<string> | null,
  firstKeys: ReadonlySet<string> | undefined,
): boolean {
  const [first] = items
  if (beginning === null) return first !== undefined && firstKeys?.has(first.key) === true
  return items.filter(({ key }) => beginning.has(key)).length > items.length / 2
}

/** Whether an error is the response of a service to an expired token. */
function isRefusal(error: unknown): error is HttpError {
  return error instanceof HttpError && [400, 404, 410, 422].includes(error.status)
}

function deadTokens(list: List, restarts: number, refusal: HttpError | null): TransportError {
  return new TransportError(
    'The end of a list could not be reached: the service refuses its next pages, or begins it again.',
    {
      code: 'transport.token',
      details: {
        path: list.request(null).path,
        'read from the beginning': restarts,
        ...(refusal === null ? {} : { answer: refusal.message }),
      },
      hint: 'Committed rows are kept. Run again later, with larger pages (--page-size) or a smaller range. If the list ends there, its last page may have a token of its own, such as 0: declare it (`last` of the pager).',
    },
  )
}

/** A counted page that the service refuses: numbers do not expire. */
function refusedNumber(token: string | null, refusal: HttpError): HttpError {
  return new HttpError(`The service refuses a page of a list after its first one: ${refusal.message}`, refusal.status, {
    code: refusal.code,
    details: { ...refusal.details, page: token },
    hint: `If the list ends there, declare it: \`empty: [${refusal.status}]\`. Otherwise run again later.`,
    cause: refusal,
  })
}

function repeatedPage(list: List, token: string | null): TransportError {
  return new TransportError(
    `A page repeats the page before it, each of ${maxRequests} times: the items that belong there would be lost.`,
    {
      code: 'transport.repeated-page',
      details: { path: list.request(null).path, page: token === null ? null : tokenText(token) },
      hint: 'Committed rows are kept. Run again later. If it stays so, compare the pager of the list with the documentation of the service: it may ignore its parameter. If the list ends so, or may repeat pages, declare it: `repeats: end` or `repeats: allowed` of the pager.',
    },
  )
}

/** Maximum number of consecutive pages with items that are all known in this reading. */
const mostRepeatingPages = 50
/** Maximum number of consecutive pages without items. */
const mostEmptyPages = 1_000

/**
 * Checks the pages of a reading in their order and throws `TransportError` when the list seems to have no end: a token repeats, or many
 * consecutive pages have no items, or only items that this reading has already seen. Items that the lake knows from other readings count as
 * new. A list that is read from its beginning again needs a new watch.
 *
 * For a list with millions of items only a sample of the keys is remembered. The limit of repeating pages grows accordingly, so that a valid
 * list, where each page has a new item, is never reported.
 */
function watchEnd(list: List, firstToken: string | null): (page: Page) => void {
  const tokens = createSeenTexts()
  const keys = createSeenTexts()
  let pages = 0
  let repeating = 0
  let empty = 0
  if (firstToken !== null) tokens.see(firstToken)
  return ({ items, next }) => {
    pages++
    empty = items.length === 0 ? empty + 1 : 0
    const isNew = items.map(({ key }) => keys.see(key)).includes('new')
    if (isNew) repeating = 0
    else if (items.length > 0) repeating++
    if (next === null) return
    // A list that ends with a repeated page may lead to that page again.
    if (list.repeats !== 'end' && tokens.see(next) === 'known')
      throw endless(list, pages, 'a page leads to one that was requested before', next)
    if (repeating * keys.share() >= mostRepeatingPages)
      throw endless(list, pages, `${repeating} consecutive pages repeat items of earlier pages`, next)
    if (empty >= mostEmptyPages) throw endless(list, pages, `${countText(empty)} consecutive pages are empty`, next)
  }
}

function endless(list: List, pages: number, why: string, token: string): TransportError {
  return new TransportError(`The list has no end: ${why}.`, {
    code: 'transport.endless-list',
    details: { path: list.request(null).path, pages, 'next page': tokenText(token) },
    hint: 'Committed rows are kept. If the list ends there, declare it: `until: empty` or `repeats: end` of the pager. Otherwise the service repeats itself: run again later, with another --page-size or a smaller range, and report it to the provider.',
  })
}

/** The text of a token. A long token is shortened to its beginning and its hash. */
function tokenText(token: string): string {
  return token.length <= 60 ? token : `${token.slice(0, 40)}… (sha256 ${hash('sha256', token, 'hex').slice(0, 12)})`
}

/** Default number of remembered texts: some megabytes. */
const usualCapacity = 32_768
const allSpots = 2 ** 32
/** Longer texts are remembered by their hash: a token may have kilobytes. */
const longText = 128

/**
 * Detects repeated texts in bounded memory. It remembers all texts up to the capacity, then the half with the smallest hashes, then a
 * quarter, and so on. The sample depends on the text only: a text is never reported as known by mistake, and a list that repeats itself is
 * detected at any length.
 */
export function createSeenTexts(capacity = usualCapacity) {
  let known = new Set<string>()
  let bound = allSpots
  const isSampled = (text: string) => spotOf(text) < bound
  return {
    /** The sampled share, from 0 to 1. */
    share: () => bound / allSpots,
    /** Whether a text was seen before. Only a sample of very many texts is remembered. */
    see(whole: string): 'new' | 'known' | 'not sampled' {
      const text = whole.length > longText ? `sha256 ${hash('sha256', whole, 'hex')}` : whole
      if (bound < allSpots && !isSampled(text)) return 'not sampled'
      if (known.has(text)) return 'known'
      known.add(text)
      while (known.size > capacity && bound > 1) {
        bound /= 2
        known = new Set([...known].filter(isSampled))
      }
      return 'new'
    },
  }
}

/** An evenly distributed 32-bit hash: FNV-1a with the final mixing of MurmurHash3. SHA-256 would cost ten times as much. */
function spotOf(text: string): number {
  let spot = 0x811c9dc5
  for (let at = 0; at < text.length; at++) spot = Math.imul(spot ^ text.charCodeAt(at), 0x01000193)
  spot = Math.imul(spot ^ (spot >>> 16), 0x85ebca6b)
  spot = Math.imul(spot ^ (spot >>> 13), 0xc2b2ae35)
  return (spot ^ (spot >>> 16)) >>> 0
}
