import type { PageAnswer } from '../data/page-data.ts'
import { plainText } from './cell-text.ts'

/** Number of colours for series. The style declares one more, a grey for the series that stands for all others. */
export const ownColours = 6
const grey = ownColours + 1
/** The name of all series that have no colour of their own. */
export const others = 'others'

/** The names of the series of an answer and whether it has more: the largest by its first measure come first. */
export function seriesOf(answer: PageAnswer): { readonly own: readonly string[]; readonly rest: string | null } {
  const { picture, columns, rows } = answer
  if ((picture.kind !== 'times' && picture.kind !== 'lines') || picture.series === undefined)
    return { own: [], rest: null }
  const measure = picture.kind === 'times' ? picture.values[0] : picture.value
  const [name, value] = [picture.series, measure].map((column) => columns.findIndex((each) => each.name === column))
  const sums = new Map<string, number>()
  for (const row of rows) {
    const series = plainText(String(row[name ?? -1] ?? ''))
    sums.set(series, (sums.get(series) ?? 0) + Math.abs(Number(row[value ?? -1] ?? 0)))
  }
  const rest = picture.kind === 'times' && picture.rest !== undefined && sums.delete(picture.rest) ? picture.rest : null
  const names = [...sums].sort((a, b) => b[1] - a[1]).map(([series]) => series)
  return { own: names.slice(0, ownColours), rest: names.length > ownColours ? others : rest }
}

/**
 * A colour number for each series of the page, counted from 1. A name has one colour wherever it appears, and names of one picture have
 * different colours as long as the earlier pictures allow it.
 */
export function assignColours(answers: readonly PageAnswer[]): Map<string, number> {
  const colours = new Map<string, number>()
  for (const answer of answers) {
    const { own, rest } = seriesOf(answer)
    if (rest !== null) colours.set(rest, grey)
    const used = new Set(own.map((name) => colours.get(name)))
    for (const name of own) {
      if (colours.has(name)) continue
      const free = Array.from({ length: ownColours }, (_, index) => index + 1).find((each) => !used.has(each))
      const colour = free ?? (colours.size % ownColours) + 1
      colours.set(name, colour)
      used.add(colour)
    }
  }
  return colours
}
