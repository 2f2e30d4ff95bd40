import type { List, NodeCall, Page, ReadingContext } from '../../src/define/index.ts'

type Rows = Page['rows']

/** Reads a list, then requests all or some of its items. */
export type ListThenItems<I> = {
  readonly list: {
    readonly request: NodeCall
    /** The rows of the list itself, and the items to request next, without duplicates, each with a text that names it. */
    readonly read: (
      answer: unknown,
      context: ReadingContext,
    ) => { readonly rows: Rows; readonly items: ReadonlyMap<string, I> }
  }
  readonly item: {
    readonly request: (name: string) => NodeCall
    readonly read: (answer: unknown, context: ReadingContext, item: I) => Rows
  }
  /** Rows of an answer from which only the list is needed. */
  readonly none: Rows
}

/**
 * One list of pages: the answer with the list, then one answer per item. The list is remembered from page to page. A reading
 * that resumes in the middle has no memory and requests the list again first. Tokens contain a count of lists, so they never repeat.
 */
export function listThenItems<I>({ list, item, none }: ListThenItems<I>): List {
  return {
    request: (token) => {
      const place = placeOf(token)
      return place.item === null || place.isListed ? list.request : item.request(place.item)
    },
    decode: (answer, context, token) => {
      const place = placeOf(token ?? null)
      if (place.item === null || place.isListed) {
        const { rows, items } = list.read(answer, context)
        context.memory.set('items', items)
        const names = [...items.keys()]
        const from = place.item !== null && items.has(place.item) ? place.item : names[0]
        return { rows, items: [], next: from === undefined ? null : tokenOf(place.lists, from) }
      }
      const items = context.memory.get('items') as ReadonlyMap<string, I> | undefined
      const known = items?.get(place.item)
      if (items === undefined || known === undefined)
        return { rows: none, items: [], next: tokenOf(place.lists + 1, place.item, 'list') }
      const names = [...items.keys()]
      const next = names[names.indexOf(place.item) + 1]
      return {
        rows: item.read(answer, context, known),
        // Pages need a subject: a list with many empty pages in a row counts as endless.
        items: [{ key: place.item, time: null }],
        next: next === undefined ? null : tokenOf(place.lists, next),
      }
    },
  }
}

/** `item` is null at the start; `isListed`: the list is requested again before the item; `lists`: number of such requests. */
type Place = { readonly lists: number; readonly item: string | null; readonly isListed: boolean }

function tokenOf(lists: number, item: string, word: 'item' | 'list' = 'item'): string {
  return `${lists} ${word} ${item}`
}

function placeOf(token: string | null): Place {
  if (token === null) return { lists: 0, item: null, isListed: true }
  const [lists, word, item = ''] = token.split(' ')
  return { lists: Number(lists), item, isListed: word === 'list' }
}
