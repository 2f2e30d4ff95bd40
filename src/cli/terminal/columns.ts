/** Columns of a terminal that texts are laid out for; without a terminal, and in wide ones, lines end at the widest one that reads well. */
export function textWidth(columns: number | undefined): number {
  return Math.max(narrowest, Math.min(widest, columns || widest))
}

const widest = 110
const narrowest = 40

/** Breaks a text into lines of at most this many letters, between words. A longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
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
