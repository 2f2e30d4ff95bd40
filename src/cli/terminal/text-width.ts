import { eastAsianWidth } from 'get-east-asian-width'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** How many columns of a terminal a text takes: two for letters of East Asian scripts and for emoji, one for others. */
export function textColumns(text: string): number {
  // Most cells are ASCII, which needs no segments.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let columns = 0
  for (const { segment } of segmenter.segment(text)) columns += segmentColumns(segment)
  return columns
}

/** A text that takes at most these columns; `…` replaces what is left out at its end. */
export function cutText(text: string, columns: number): string {
  if (textColumns(text) <= columns) return text
  let taken = 0
  let cut = ''
  for (const { segment } of segmenter.segment(text)) {
    taken += segmentColumns(segment)
    if (taken > columns - 1) break
    cut += segment
  }
  return `${cut}…`
}

function segmentColumns(segment: string): number {
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(segment)) return 2
  if (/^\p{Mark}+$/u.test(segment)) return 0
  return eastAsianWidth(segment.codePointAt(0)!)
}
