import { hash } from 'node:crypto'
import type { List, Page } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import { createSeenTexts } from './seen-texts.ts'

/** Pages with items in a row, none of them new in this reading. */
const mostRepeatingPages = 50
/** Pages without items in a row. */
const mostEmptyPages = 1_000

/**
 * Looks at the pages of a reading, in their order, and throws `TransportError` when they can have no end: a token that was given before,
 * pages that show only what this reading has seen, or nothing at all. What the lake knows from other readings is new here, and an item
 * that stands on every page keeps no page from being new. A list that begins again needs a watch of its own.
 *
 * A list of millions is known by a share of its keys: so many more pages in a row must show none that is new, so that a good list, each
 * page of which has one, is never taken for an endless one.
 */
export function watchEnd(list: List, firstToken: string | null): (page: Page) => void {
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
    if (tokens.see(next) === 'known')
      throw endless(list, pages, 'a page names a token as its next that was used before', next)
    if (repeating * keys.share() >= mostRepeatingPages)
      throw endless(list, pages, `${repeating} pages in a row show only what earlier ones did`, next)
    if (empty >= mostEmptyPages)
      throw endless(list, pages, `${empty.toLocaleString('en-US')} pages in a row are empty`, next)
  }
}

function endless(list: List, pages: number, why: string, token: string): TransportError {
  return new TransportError(`The list has no end: ${why}.`, {
    code: 'transport.endless-list',
    retryable: false,
    details: { path: list.request(null).path, pages, 'next token': tokenText(token) },
    hint: 'What is committed stays. The service repeats itself: run again later, with another --page-size or a smaller range, and tell its provider.',
  })
}

/** Tokens may be long; the whole one says no more than its beginning and a name for it. */
function tokenText(token: string): string {
  return token.length <= 60 ? token : `${token.slice(0, 40)}… (sha256 ${hash('sha256', token, 'hex').slice(0, 12)})`
}
