import { requestedRows } from '../../decode/requested-rows.ts'
import type { List, Page, ReadingContext } from '../../define/index.ts'
import { HttpError, RpcError, TransportError } from '../../errors.ts'
import type { Asker } from '../connections/ask.ts'
import { watchEnd } from './list-end.ts'

/** A page of a list, or the event that a page token died and reading starts again at the beginning of the list. */
export type ListEvent = { readonly page: Page } | { readonly restarted: true }

type ListReading = {
  readonly client: Asker
  readonly signal: AbortSignal
  /** Creates a context. Called whenever reading starts at the beginning of the list. */
  readonly context: () => ReadingContext
  /** The token of the first page to read. Default: the beginning of the list. */
  readonly token?: string | null
  /** Keys of the first page of the list, when `token` comes from an earlier reading. */
  readonly firstKeys?: ReadonlySet<string>
}

/** Requests with a token that seems dead before it counts as dead. */
const maxDeadTokenRequests = 3
/** Pages after which the next page of a list is requested ahead. */
const pagesBeforeAhead = 3
/** How often reading may start again at the beginning of the list before the job fails. */
const maxRestarts = 8

/**
 * Yields the pages of a list in their order until the end of the list, which is a missing or empty token. A token dies in two ways: the
 * service refuses it, or responds with the first page again. The request is retried; then a `restarted` event follows, and reading starts
 * again at the beginning of the list. In a long list the next page is requested while the caller processes the current one. Throws
 * `TransportError` for a list that has no end, or where tokens die so often that the end cannot be reached.
 */
export async function* listPages(list: List, reading: ListReading): AsyncGenerator<ListEvent, void, undefined> {
  let token = reading.token ?? null
  /** Keys of the first page of this reading; null when reading began at a later page. */
  let beginning: ReadonlySet<string> | null = null
  let context = reading.context()
  let watch = watchEnd(list, token)
  let restarts = 0
  /** Pages since the beginning of the list. A run that finds only known items on the first pages must not request more. */
  let read = 0
  let ahead: Promise<unknown> | null = null
  for (;;) {
    const page = await pageOf(list, token, beginning, context, reading, ahead)
    ahead = null
    if (page === null) {
      if (++restarts > maxRestarts) throw deadTokens(list, restarts)
      token = null
      read = 0
      context = reading.context()
      watch = watchEnd(list, null)
      yield { restarted: true }
      continue
    }
    watch(page)
    if (token === null) beginning = new Set(page.items.map(({ key }) => key))
    if (++read > pagesBeforeAhead && page.next !== null) {
      ahead = ask(list, page.next, reading)
      // The failure is handled when the page is read. If the page is never read, the failure does not matter.
      ahead.catch(() => undefined)
    }
    yield { page }
    if (page.next === null) return
    token = page.next
  }
}

function ask(list: List, token: string | null, { client, signal }: ListReading): Promise<unknown> {
  return client.ask(list.request(token), { signal, parse: (answer) => answer })
}

/** The page of a token; null when the token is dead. */
async function pageOf(
  list: List,
  token: string | null,
  beginning: ReadonlySet<string> | null,
  context: ReadingContext,
  reading: ListReading,
  ahead: Promise<unknown> | null,
): Promise<Page | null> {
  let answer = ahead ?? ask(list, token, reading)
  for (let requests = 1; ; requests++) {
    const page = await livePage(list, token, beginning, context, reading, answer)
    if (page !== null || requests >= maxDeadTokenRequests) return page
    answer = ask(list, token, reading)
  }
}

/** The page of a response; null when the response suggests that the token is dead. */
async function livePage(
  list: List,
  token: string | null,
  beginning: ReadonlySet<string> | null,
  context: ReadingContext,
  { firstKeys }: ListReading,
  answer: Promise<unknown>,
): Promise<Page | null> {
  try {
    const page = requestedRows(list.decode(await answer, context, token), list)
    return token !== null && startsOver(page, beginning, firstKeys) ? null : page
  } catch (error) {
    const refused = refusalPage(list, error, context, token)
    if (refused !== null) return refused
    if (token === null || !isRefusal(error)) throw error
    return null
  }
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
function isRefusal(error: unknown): boolean {
  return error instanceof HttpError && [400, 404, 410, 422].includes(error.status)
}

function deadTokens(list: List, restarts: number): TransportError {
  return new TransportError(
    'The end of a list could not be reached: the service invalidates its page tokens too early.',
    {
      code: 'transport.token',
      retryable: false,
      details: { path: list.request(null).path, 'read from the beginning': restarts },
      hint: 'Committed rows are kept. Run again later, with larger pages (--page-size) or a smaller range.',
    },
  )
}
