import type { List, NodeCall, Page, ReadingContext } from '../../src/define/index.ts'

type Rows = Page['rows']

/** Reads a list, then requests each item of it, or the items that matter. */
export type ListThenItems<I> = {
  readonly list: {
    readonly request: NodeCall
    /** The rows of the list itself, and what is asked for next, each item once, with a text that names it. */
    readonly read: (
      answer: unknown,
      context: ReadingContext,
    ) => { readonly rows: Rows; readonly items: ReadonlyMap<string, I> }
  }
  readonly item: {
    readonly request: (name: string) => NodeCall
    readonly read: (answer: unknown, context: ReadingContext, item: I) => Rows
  }
  /** Rows of an answer that is read for its list alone. */
  readonly none: Rows
}

/**
 * One list of pages: the answer that lists, then an answer an item. What the first one said is remembered from page to page; a reading
 * that resumes in the middle, without memory, lists again first. Tokens never repeat: they count how often that happened.
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
        // The subject of a page: a list with many empty pages in a row counts as endless.
        items: [{ key: place.item, time: null }],
        next: next === undefined ? null : tokenOf(place.lists, next),
      }
    },
  }
}

/** `item` is null at the beginning; `isListed`: before the item is asked for, the list is once more; `lists`: how often that was. */
type Place = { readonly lists: number; readonly item: string | null; readonly isListed: boolean }

function tokenOf(lists: number, item: string, word: 'item' | 'list' = 'item'): string {
  return `${lists} ${word} ${item}`
}

function placeOf(token: string | null): Place {
  if (token === null) return { lists: 0, item: null, isListed: true }
  const [lists, word, item = ''] = token.split(' ')
  return { lists: Number(lists), item, isListed: word === 'list' }
}
