/** A column heading; a leading `>` aligns the column to the right. */
export type Heading = string

/** Rows as aligned text with two spaces between columns. */
export function textTable(headings: readonly Heading[], rows: readonly (readonly string[])[]): string {
  const right = headings.map((heading) => heading.startsWith('>'))
  const titles = headings.map((heading) => heading.replace(/^>/, ''))
  const lines = [titles, ...rows]
  const widths = titles.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, (line[column] ?? '').length), 0),
  )
  return lines
    .map((line) =>
      line
        .map((cell, column) => (right[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
