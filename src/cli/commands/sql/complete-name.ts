/** A table or view with its columns. */
export type NamedTable = { readonly name: string; readonly columns: readonly string[] }

/** More columns than this would fill the screen. */
const mostShown = 200

/**
 * Completions of the last word of a line, and that word, as readline expects them: tables first, then columns of the tables that the statement
 * names, or of all; columns of one table after `table.`; commands for a line that begins with a dot.
 */
export function completeName(
  line: string,
  { statement, tables, commands }: { statement: string; tables: readonly NamedTable[]; commands: readonly string[] },
): [string[], string] {
  if (/^\.\w*$/.test(line)) return [commands.filter((command) => command.startsWith(line)), line]
  const word = /[A-Za-z_][\w]*(?:\.\w*)?$/.exec(line)?.[0] ?? ''
  if (word === '') return [[], word]
  const [, table, start] = /^(\w+)\.(\w*)$/.exec(word) ?? []
  if (table !== undefined) {
    const columns = tables.find(({ name }) => name === table)?.columns ?? []
    return [columns.filter((column) => column.startsWith(start!)).map((column) => `${table}.${column}`), word]
  }
  const text = `${statement} ${line}`
  const named = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text))
  const columns = (named.length === 0 ? tables : named).flatMap((each) => each.columns)
  const names = [...tables.map(({ name }) => name), ...columns]
  const found = [...new Set(names.filter((name) => name.startsWith(word.toLowerCase())))]
  return [found.slice(0, mostShown), word]
}
