/**
 * Splits text into SQL statements at semicolons outside quotes and comments. `rest` is the text after the last semicolon, which an
 * interactive prompt completes.
 */
export function splitStatements(text: string): { statements: string[]; rest: string } {
  const statements: string[] = []
  let start = 0
  let at = 0
  while (at < text.length) {
    const end = endOfQuoted(text, at)
    if (end > at) at = end
    else if (text[at++] === ';') {
      statements.push(text.slice(start, at - 1).trim())
      start = at
    }
  }
  return { statements: statements.filter((statement) => !isBlank(statement)), rest: text.slice(start) }
}

/** A statement in one line, without comments; null if a text in it has several lines. */
export function oneLine(sql: string): string | null {
  let line = ''
  let at = 0
  while (at < sql.length) {
    const end = endOfQuoted(sql, at)
    const part = sql.slice(at, Math.max(end, at + 1))
    const isComment = /^(--|\/\*)/.test(part)
    if (end > at && !isComment && part.includes('\n')) return null
    line += isComment ? ' ' : end > at ? part : part.replace(/\s/, ' ')
    at += part.length
  }
  return line.trim()
}

/** Whether the text holds only blanks and comments. */
export function isBlank(sql: string): boolean {
  return sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim() === ''
}

/** The end of the string, quoted name or comment that begins at `at`; `at` itself when none begins there. */
function endOfQuoted(text: string, at: number): number {
  const close = (from: number, mark: string): number => {
    const found = text.indexOf(mark, from)
    return found === -1 ? text.length : found + mark.length
  }
  const character = text[at]
  if (character === "'" || character === '"') return close(at + 1, character)
  if (text.startsWith('--', at)) return close(at, '\n')
  if (text.startsWith('/*', at)) return close(at + 2, '*/')
  const dollar = /^\$\w*\$/.exec(text.slice(at, at + 64))?.[0]
  return dollar === undefined ? at : close(at + dollar.length, dollar)
}
