import { bytesText, countText } from '../../lib/text.ts'

/** The last column of a narrower terminal is not broken further. */
const narrowestLast = 20

/** A number is shown as a count, or as bytes below a heading that ends with `bytes`. */
type Cell = string | number

/**
 * Rows as aligned text with two spaces between columns; a heading with a leading `>` aligns its column to the right. With a `width`, the texts
 * of the last column are broken between words, so that lines fit into a terminal of this width.
 */
export function textTable(headings: readonly string[], rows: readonly (readonly Cell[])[], width?: number): string {
  const titles = headings.map((heading) => heading.replace(/^>/, ''))
  const numberText = (cell: number, column: number) =>
    titles[column]?.endsWith('bytes') ? bytesText(cell) : countText(cell)
  const texts = rows.map((row) => row.map((cell, at) => (typeof cell === 'number' ? numberText(cell, at) : cell)))
  const last = titles.length - 1
  const widthsOf = (lines: readonly (readonly string[])[]): number[] =>
    titles.map((title, at) => lines.reduce((widest, line) => Math.max(widest, line[at]?.length ?? 0), title.length))
  const left = widthsOf(texts)
    .slice(0, last)
    .reduce((free, each) => free - each - 2, width ?? 0)
  const broken = (row: readonly string[]): (readonly string[])[] => {
    const [first = '', ...more] = wrapped(row[last] ?? '', Math.max(narrowestLast, left))
    return [[...row.slice(0, last), first], ...more.map((text) => [...Array<string>(last).fill(''), text])]
  }
  const lines = width ? texts.flatMap(broken) : texts
  const widths = widthsOf(lines)
  const padded = (cell: string, at: number): string =>
    headings[at]?.startsWith('>') ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)
  return [titles, ...lines].map((line) => line.map(padded).join('  ').trimEnd()).join('\n')
}

/** Columns of a terminal that texts are laid out for; without a terminal, and in wide ones, lines end at the widest one that reads well. */
export function textWidth(columns: number | undefined): number {
  return Math.max(narrowest, Math.min(widest, columns || widest))
}

const widest = 110
const narrowest = 40

/** Breaks a text into lines of at most this many letters, between words. A longer word has a line of its own. */
export function wrapped(text: string, width: number, words = /\S+/g): string[] {
  const lines: string[] = []
  for (const word of text.match(words) ?? []) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Names with their descriptions next to them. A name that is too long for its column has its description below it. */
export function described(entries: readonly (readonly [name: string, text: string])[], width: number): string[] {
  const most = Math.floor(width * 0.4)
  const lengths = entries.map(([name]) => name.length).filter((length) => length <= most)
  const left = Math.max(0, ...lengths) + 4
  return entries.flatMap(([name, text]) => {
    const lines = wrapped(text, width - left)
    const [first = '', ...more] = name.length > left - 4 ? ['', ...lines] : lines
    const rest = more.map((line) => `${' '.repeat(left)}${line}`)
    return [`  ${name.padEnd(left - 2)}${first}`.trimEnd(), ...rest]
  })
}

/** A title in capitals with the lines below it; nothing without lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title.toUpperCase(), ...lines]
}

/** A section of names with their descriptions. */
export function listing(title: string, entries: Parameters<typeof described>[0], width: number): string[] {
  return section(title, described(entries, width))
}

/** A section of sentences. Each sentence begins a line. */
export function notes(title: string, texts: readonly string[], width: number): string[] {
  return section(
    title,
    texts.flatMap((text) => wrapped(text, width - 2)).map((line) => `  ${line}`),
  )
}
