import { askedRows } from '../../decode/asked-rows.ts'
import type { List, Page, ReadingContext } from '../../define/index.ts'
import { HttpError, RpcError, TransportError } from '../../errors.ts'
import type { Asker } from '../connections/ask.ts'
import { watchEnd } from './list-end.ts'

/** A page of a list, or word that its token had died and the list is read from its beginning again. */
export type ListEvent = { readonly page: Page } | { readonly restarted: true }

export type ListReading = {
  readonly client: Asker
  readonly signal: AbortSignal
  /** A new context: called at the beginning of the list and whenever it is read from there again. */
  readonly context: () => ReadingContext
  /** Where to begin; by default at the beginning. */
  readonly token?: string | null
  /** Keys of the page that the list begins with, when `token` comes from an earlier reading. */
  readonly firstKeys?: ReadonlySet<string>
}

/** How often a page is asked for with a token that seems dead, before it is given up. */
const asksOfDeadToken = 3
/** Lists that are longer than this are read one page ahead. */
const pagesBeforeAhead = 3
/** How often a list is read from its beginning again before the job ends. */
const mostRestarts = 8

/**
 * The pages of a list, in its order, to the end: a missing or empty token. A token dies in two ways: the service refuses it, or
 * answers with the first page again. Either is asked again, then told by `restarted`, and the list goes on from its beginning.
 * In a list of many pages the next one is asked for while the one before it is worked on. Throws `TransportError` for a list that has
 * no end, or that is not let be read to it.
 */
export async function* listPages(list: List, reading: ListReading): AsyncGenerator<ListEvent, void, undefined> {
  let token = reading.token ?? null
  /** Keys of the first page of this reading; null when it did not begin there. */
  let beginning: ReadonlySet<string> | null = null
  let context = reading.context()
  let watch = watchEnd(list, token)
  let restarts = 0
  /** Pages since the list was begun: a run that finds what it knows on the first ones shall ask for no more. */
  let read = 0
  let ahead: Promise<unknown> | null = null
  for (;;) {
    const page = await pageOf(list, token, beginning, context, reading, ahead)
    ahead = null
    if (page === null) {
      if (++restarts > mostRestarts) throw deadTokens(list, restarts)
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
      // Seen where the page's turn comes; until then, or when nobody asks for it any more, it is no failure.
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
  let answer = ahead
  for (let asked = 1; ; asked++) {
    try {
      const page = askedRows(list.decode(await (answer ?? ask(list, token, reading)), context, token), list)
      if (token === null || !startsOver(page, beginning, reading.firstKeys)) return page
    } catch (error) {
      const refused = refusalPage(list, error, context, token)
      if (refused !== null) return refused
      if (token === null || !isRefusal(error)) throw error
    }
    answer = null
    if (asked >= asksOfDeadToken) return null
  }
}

/** What a list, or a question for a key, makes of a node's refusal; null where that, or something else, is a failure. */
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
 * Whether a page is the first one again: most of it is, since new items may stand on top of it, and an item may stand on every page. Of a
 * beginning that an earlier reading saw an item is known, so that the page must begin with one of it.
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

/** What services answer to a token that they do not know any more. */
function isRefusal(error: unknown): boolean {
  return error instanceof HttpError && [400, 404, 410, 422].includes(error.status)
}

function deadTokens(list: List, restarts: number): TransportError {
  return new TransportError('The service does not let a list be read to its end: its page tokens die on the way.', {
    code: 'transport.token',
    retryable: false,
    details: { path: list.request(null).path, 'read from the beginning': restarts },
    hint: 'What is committed stays. Run again later, with larger pages (--page-size) or a smaller range.',
  })
}
