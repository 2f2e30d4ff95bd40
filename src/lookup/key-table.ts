import type { DuckDBConnection } from '@duckdb/node-api'
import { type ColumnType, duckdbType } from '../define/index.ts'
import { sqlName, sqlText } from '../lib/text/sql-quote.ts'
import { type KeyColumn, keyValues, listSql, nullText } from './key-text.ts'

/** Number of keys to insert at once: some megabytes. */
const keysAtOnce = 8_192

/**
 * Creates the temporary table `keys` of these columns, with the column `key_text` and the values of the keys. A join by values lets DuckDB skip row groups by
 * their statistics, which is some hundred times as fast as comparing texts. Keys are passed as one text, which costs a third of passing each
 * value.
 */
export async function createKeyTable(
  connection: DuckDBConnection,
  columns: readonly KeyColumn[],
  keys: readonly string[],
): Promise<void> {
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

/** The encoding of keys as one text. */
type Lines = {
  readonly lines: readonly string[]
  /** Separator of lines, separator of the parts of a line, and the text for null. */
  readonly line: string
  readonly part: string
  readonly none: string
  /** SQL expression for the key in a line, and the index of its first value among the parts. */
  readonly key: string
  readonly first: number
}

/** Each key is a line. If keys contain escapes, each line has the key followed by its values. */
function linesOf(keys: readonly string[]): Lines {
  const all = keys.join('')
  const [line = '', part = '', none = ''] = absentCharacters(all, 3)
  if (!/\\[\\|]/.test(all)) return { lines: keys, line, part: '|', none: nullText, key: 'line', first: 1 }
  const lines = keys.map((key) => [key, ...keyValues(key).map((value) => value ?? none)].join(part))
  return { lines, line, part, none, key: 'parts[1]', first: 2 }
}

/** Characters that a text does not contain, preferably control characters. */
function absentCharacters(text: string, count: number): string[] {
  const found: string[] = []
  for (let code = 1; found.length < count; code++) {
    const character = String.fromCharCode(code)
    if (!text.includes(character)) found.push(character)
  }
  return found
}

/** SQL condition that rows `a` and `b` have the same values of these columns. */
export function sameKey(columns: readonly KeyColumn[], a: string, b: string): string {
  return columns
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
