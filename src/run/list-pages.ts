import type { List, Page, ReadingContext } from '../define/index.ts'
import { HttpError, TransportError } from '../errors.ts'
import type { ServiceClient } from '../sources/service-client.ts'

/** A page of a list, or word that its token had died and the list is read from its beginning again. */
export type ListEvent = { readonly page: Page } | { readonly restarted: true }

export type ListReading = {
  readonly client: ServiceClient
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
/** How often a list is read from its beginning again before the job ends. */
const mostRestarts = 8

/**
 * The pages of a list, in its order, to the end: a missing or empty token. A token dies in two ways: the service refuses it, or
 * answers with the first page again. Either is asked again, then told by `restarted`, and the list goes on from its beginning.
 */
export async function* listPages(list: List, reading: ListReading): AsyncGenerator<ListEvent, void, undefined> {
  let token = reading.token ?? null
  let firstKeys = reading.firstKeys ?? new Set<string>()
  let context = reading.context()
  let restarts = 0
  for (;;) {
    const page = await pageOf(list, token, firstKeys, context, reading)
    if (page === null) {
      if (++restarts > mostRestarts) throw deadTokens(list, restarts)
      token = null
      context = reading.context()
      yield { restarted: true }
      continue
    }
    if (token === null) firstKeys = new Set(page.items.slice(0, 1).map(({ key }) => key))
    yield { page }
    if (page.next === null) return
    token = page.next
  }
}

/** The page of a token; null when the token is dead. */
async function pageOf(
  list: List,
  token: string | null,
  firstKeys: ReadonlySet<string>,
  context: ReadingContext,
  { client, signal }: ListReading,
): Promise<Page | null> {
  for (let asked = 1; ; asked++) {
    try {
      const page = list.decode(await client.ask(list.request(token), { signal, parse: (answer) => answer }), context)
      const first = page.items[0]
      const startedOver = token !== null && first !== undefined && firstKeys.has(first.key)
      if (!startedOver) return page
    } catch (error) {
      if (token === null || !isRefusal(error)) throw error
    }
    if (asked >= asksOfDeadToken) return null
  }
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
