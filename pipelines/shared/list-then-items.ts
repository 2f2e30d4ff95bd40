import type { List, NodeCall, Page, ReadingContext } from '../../src/define/index.ts'

type Rows = Page['rows']

/** A list, followed by one request for each of its items or for some of them. */
type ListThenItems<I> = {
  readonly list: {
    readonly request: NodeCall
    /** The rows of the list itself, and the items to request next, each once, by name. */
    readonly read: (
      answer: unknown,
      context: ReadingContext,
    ) => { readonly rows: Rows; readonly items: ReadonlyMap<string, I> }
  }
  readonly item: {
    readonly request: (name: string) => NodeCall
    readonly read: (answer: unknown, context: ReadingContext, item: I) => Rows
  }
  /** The rows of an answer that is read only for its items. */
  readonly none: Rows
}

/**
 * One list of pages: first the answer with the list, then one answer per item. The items of the list are remembered from page to page. A
 * run that resumes in the middle has no memory of them and requests the list again first. Tokens count how often it did, so that no token
 * occurs twice.
 */
export function listThenItems<I>({ list, item, none }: ListThenItems<I>): List {
  return {
    request: (token) => {
      const position = positionOf(token)
      return position.item === null || position.isList ? list.request : item.request(position.item)
    },
    decode: (answer, context, token) => {
      const { lists, item, isList } = positionOf(token ?? null)
      return item === null || isList
        ? listPage(answer, context, { lists, item })
        : itemPage(answer, context, { lists, item })
    },
  }

  function listPage(answer: unknown, context: ReadingContext, { lists, item }: Omit<Position, 'isList'>): Page {
    const { rows, items } = list.read(answer, context)
    context.memory.set('items', items)
    const [first] = items.keys()
    const next = item !== null && items.has(item) ? item : first
    return { rows, items: [], next: next === undefined ? null : tokenOf(lists, next) }
  }

  function itemPage(
    answer: unknown,
    context: ReadingContext,
    { lists, item: name }: { lists: number; item: string },
  ): Page {
    const items = context.memory.get('items') as ReadonlyMap<string, I> | undefined
    const known = items?.get(name)
    if (items === undefined || known === undefined)
      return { rows: none, items: [], next: tokenOf(lists + 1, name, 'list') }
    const names = [...items.keys()]
    const next = names[names.indexOf(name) + 1]
    return {
      rows: item.read(answer, context, known),
      // Each page names its item, because a list with many pages that show no new item counts as endless.
      items: [{ key: name, time: null }],
      next: next === undefined ? null : tokenOf(lists, next),
    }
  }
}

/** `item` is null at the beginning; `isList`: the list is requested again before the item; `lists`: how often that happened. */
type Position = { readonly lists: number; readonly item: string | null; readonly isList: boolean }

function tokenOf(lists: number, item: string, word: 'item' | 'list' = 'item'): string {
  return `${lists} ${word} ${item}`
}

function positionOf(token: string | null): Position {
  if (token === null) return { lists: 0, item: null, isList: true }
  const [lists, word, item = ''] = token.split(' ')
  return { lists: Number(lists), item, isList: word === 'list' }
}
