import { hash } from 'node:crypto'
import type { List, Page } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import { countText } from '../../lib/text/count-text.ts'
import { createSeenTexts } from './seen-texts.ts'

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
    if (tokens.see(next) === 'known') throw endless(list, pages, 'the token of a next page was used before', next)
    if (repeating * keys.share() >= mostRepeatingPages)
      throw endless(list, pages, `${repeating} consecutive pages repeat items of earlier pages`, next)
    if (empty >= mostEmptyPages) throw endless(list, pages, `${countText(empty)} consecutive pages are empty`, next)
  }
}

function endless(list: List, pages: number, why: string, token: string): TransportError {
  return new TransportError(`The list has no end: ${why}.`, {
    code: 'transport.endless-list',
    retryable: false,
    details: { path: list.request(null).path, pages, 'next token': tokenText(token) },
    hint: 'Committed rows are kept. The service repeats itself: run again later, with another --page-size or a smaller range, and report it to the provider.',
  })
}

/** The text of a token. A long token is shortened to its beginning and its hash. */
function tokenText(token: string): string {
  return token.length <= 60 ? token : `${token.slice(0, 40)}… (sha256 ${hash('sha256', token, 'hex').slice(0, 12)})`
}
