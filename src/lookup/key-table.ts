import type { DuckDBConnection } from '@duckdb/node-api'
import { type ColumnType, duckdbType, type Table } from '../define/index.ts'
import { sqlName, sqlText } from '../lib/text/sql-quote.ts'
import { keyColumns, keyValues, listSql, nullText } from './key-text.ts'

/** Keys that are handed over at once: some megabytes. */
const keysAtOnce = 8_192

/**
 * Makes the temporary table `keys`: the column `key_text` and the values of the keys. Joining by values lets DuckDB skip the row groups that
 * their statistics rule out: some hundred times as fast as comparing texts. Many keys go as one text, which costs a third of handing
 * over value by value.
 */
export async function createKeyTable(
  connection: DuckDBConnection,
  table: Table,
  keys: readonly string[],
): Promise<void> {
  const columns = keyColumns(table)
  const declared = columns.map(({ name, type }) => `${sqlName(name)} ${duckdbType(type)}`)
  await connection.run(`CREATE TEMP TABLE keys(key_text VARCHAR, ${declared.join(', ')})`)
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const { lines, line, part, key, first, none } = linesOf(keys.slice(from, from + keysAtOnce))
    const values = columns.map(({ type }, at) => valueSql(type, `nullif(parts[${first + at}], ${sqlText(none)})`))
    await connection.run(
      `INSERT INTO keys SELECT ${key}, ${values.join(', ')}
       FROM (SELECT line, string_split(line, ${sqlText(part)}) AS parts FROM (SELECT unnest(string_split($1, ${sqlText(line)})) AS line))`,
      [lines.join(line)],
    )
  }
}

/** How keys are handed over. */
type Lines = {
  readonly lines: readonly string[]
  /** What separates them, and the parts of each; what stands for null. */
  readonly line: string
  readonly part: string
  readonly none: string
  /** The key in a line, as SQL, and where its values begin among the parts. */
  readonly key: string
  readonly first: number
}

/** Keys are lines of their own, but for escapes in them: then each is followed by its values. */
function linesOf(keys: readonly string[]): Lines {
  const all = keys.join('')
  const [line = '', part = '', none = ''] = absentCharacters(all, 3)
  if (!/\\[\\|]/.test(all)) return { lines: keys, line, part: '|', none: nullText, key: 'line', first: 1 }
  const lines = keys.map((key) => [key, ...keyValues(key).map((value) => value ?? none)].join(part))
  return { lines, line, part, none, key: 'parts[1]', first: 2 }
}

/** Characters that a text does not have: control characters where possible. */
function absentCharacters(text: string, count: number): string[] {
  const found: string[] = []
  for (let code = 1; found.length < count; code++) {
    const character = String.fromCharCode(code)
    if (!text.includes(character)) found.push(character)
  }
  return found
}

/** Condition that rows `a` and `b` are about the same. */
export function sameKey(table: Table, a: string, b: string): string {
  return keyColumns(table)
    .map(
      ({ name, nullable }) => `${a}.${sqlName(name)} ${nullable ? 'IS NOT DISTINCT FROM' : '='} ${b}.${sqlName(name)}`,
    )
    .join(' AND ')
}

function valueSql(type: ColumnType, text: string): string {
  if (type.kind === 'timestamp') return `make_timestamptz(${text}::BIGINT)`
  if (type.kind === 'blob') return `unhex(${text})`
  if (type.kind === 'list') return listSql(text)
  return `${text}::${duckdbType(type)}`
}
