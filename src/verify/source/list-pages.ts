import { requestedRows } from '../../decode/requested-rows.ts'
import type { Keyed, List, Page, RangeWalk, ReadingContext, StreamDeclaration } from '../../define/index.ts'
import { HttpError } from '../../errors.ts'
import type { Slice } from '../../model.ts'
import { countOf } from '../../plan/intervals.ts'
import type { Asker } from '../../run/connections/ask.ts'
import { refusalPage } from '../../run/lists/list-pages.ts'

/** A page of a list, with the list that it belongs to. */
export type ListedPage = { readonly page: Page; readonly list: List }

type Reading = {
  readonly client: Asker
  readonly signal: AbortSignal
  /** The most requests for the stream. */
  readonly most: number
  /** The slices that the lake covers, apart from each other. */
  readonly covered: readonly Slice[]
}

/** Reads some pages of a stream again, by its own requests and decoder: the newest ones, or some from all over the covered range. */
export async function* somePages({ walk }: StreamDeclaration, reading: Reading): AsyncGenerator<ListedPage> {
  const { most } = reading
  switch (walk.kind) {
    case 'pageChain':
    case 'series':
      yield* pagesOf(walk.list, most, reading)
      return
    case 'oldestFirst':
      yield* pagesOf(walk.newestFirst, Math.ceil(most / 2), reading)
      yield* pagesOf(walk.list, Math.floor(most / 2), reading)
      return
    case 'scan':
    case 'snapshot': {
      const lists = walk.subjects.flatMap(({ lists }) => lists).slice(0, most)
      for (const list of lists) yield* pagesOf(list, Math.floor(most / lists.length), reading)
      return
    }
    case 'keyed':
      yield* keyedPages(walk.keys, reading)
      return
    case 'blockWindow':
    case 'timeWindow':
    case 'heightRange':
      yield* windowPages(walk, reading)
  }
}

/** The answers for some keys, from all over the list. An answer that names a next token is followed by the one with the rows. */
async function* keyedPages(keys: Keyed['keys'], reading: Reading): AsyncGenerator<ListedPage> {
  const calls = keys.some(({ next }) => next !== undefined) ? 2 : 1
  const count = Math.min(keys.length, Math.max(1, Math.floor(reading.most / calls)))
  for (let at = 0; at < count; at++) {
    const { request, next, ...key } = keys[Math.floor((at * keys.length) / count)]!
    yield* pagesOf({ ...key, request: (token) => (token === null ? request : next!(token)) }, calls, reading)
  }
}

async function* pagesOf(list: List, most: number, { client, signal }: Reading): AsyncGenerator<ListedPage> {
  const context: ReadingContext = {
    observationId: 'verify',
    observedAt: 0n,
    unknownField: () => undefined,
    memory: new Map(),
  }
  let token: string | null = null
  for (let read = 0; read < most; read++) {
    const asked: string | null = token
    const page: Page = await client
      .ask(list.request(asked), {
        signal,
        parse: (answer) => requestedRows(list.decode(answer, context, asked), list),
      })
      .catch((error: unknown) => {
        const refused = refusalPage(list, error, context, asked)
        if (refused === null) throw error
        return refused
      })
    yield { page, list }
    if (page.next === null) return
    token = page.next
  }
}

/** Requests the whole covered range; if the answer has more pages, or is a refusal, the first page of windows all over the range. */
async function* windowPages(walk: RangeWalk, reading: Reading): AsyncGenerator<ListedPage> {
  const { most, covered: slices } = reading
  const length = countOf(slices)
  let left = most
  const [first, ...others] = slices
  if (walk.kind !== 'heightRange' && first !== undefined && others.length === 0) {
    left--
    try {
      for await (const listed of pagesOf(walk.list(first), 1, reading)) {
        yield listed
        if (listed.page.next === null) return
      }
    } catch (error) {
      if (!(error instanceof HttpError) || ![400, 413, 422].includes(error.status)) throw error
    }
  }
  const longest = walk.kind === 'heightRange' ? 1 : walk.first
  const count = Math.min(left, length)
  const size = Math.max(1, Math.min(longest, Math.floor(length / Math.max(1, count))))
  for (let at = 0; at < count; at++)
    yield* pagesOf(walk.list(windowAt(slices, Math.floor((at * length) / count), size)), 1, reading)
}

/** The window that begins this many coordinates after the first one of the slices. */
function windowAt(slices: readonly Slice[], offset: number, size: number): Slice {
  let left = offset
  for (const { from, to } of slices) {
    if (left < to - from) return { from: from + left, to: Math.min(to, from + left + size) }
    left -= to - from
  }
  throw new RangeError(`The slices end before ${offset}.`)
}
