const grouping = new Intl.NumberFormat('en-US')

/** `1234567` → `1,234,567`. */
export function formatCount(value: number | bigint): string {
  return grouping.format(value)
}

/** Bytes in powers of 1000: `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  let value = bytes
  let unit = 0
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return unit === 0 ? `${bytes} B` : `${value.toFixed(1)} ${units[unit]}`
}

/** Seconds as people say them: `4.2 s`, `3 min 05 s`, `2 h 10 min`, `3 d 4 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const two = (value: number): string => String(value).padStart(2, '0')
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
  const hours = Math.round(seconds / 3600)
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** Column heading; `>` before it aligns the column to the right. */
export type Heading = string

/** Rows as aligned text, two spaces between columns, no lines. */
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
