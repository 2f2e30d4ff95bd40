import { tables } from '../../schemas/index.ts'
import { filesOf, type Row, rewriteFiles, rowsOfFile } from './rewrite-file.ts'

/** A value of a row that can be altered. */
export type Alteration = {
  readonly table: string
  readonly column: string
  readonly file: string
  readonly row: number
}

/** Returns an integer from 0 to `most` - 1. */
export type Pick = (most: number) => number

/** Chooses one value for each column of each table that has values. Empty lists and empty bytes do not count as values. */
export async function alterations(lake: string, pick: Pick): Promise<Alteration[]> {
  const found: Alteration[] = []
  for (const { name, columns } of tables) {
    const files = await filesOf(lake, name)
    const rows: { file: string; row: number; values: Row }[] = []
    for (const file of files)
      for (const [row, values] of (await rowsOfFile(lake, file)).entries()) rows.push({ file, row, values })
    for (const column of Object.keys(columns)) {
      const having = rows.filter(({ values }) => isValue(values[column]))
      const chosen = having[pick(having.length)]
      if (chosen !== undefined) found.push({ table: name, column, file: chosen.file, row: chosen.row })
    }
  }
  return found
}

/**
 * Rewrites files so that each file itself looks sound: only other rows can reveal the change. All alterations of a file are made together.
 */
export async function alter(lake: string, all: readonly Alteration[]): Promise<void> {
  const files = [...new Set(all.map(({ file }) => file))]
  await rewriteFiles(
    lake,
    files.map((path) => ({
      path,
      change: (rows) =>
        rows.map((values, at) => {
          const own = all.filter(({ file, row }) => file === path && row === at)
          return { ...values, ...Object.fromEntries(own.map(({ column }) => [column, otherValue(values[column])])) }
        }),
    })),
  )
}

function isValue(value: unknown): boolean {
  return value !== null && value !== undefined && (value as { length?: number }).length !== 0
}

/** A different value that looks like the first: text of the same length and alphabet, a number or a time increased by one. */
export function otherValue(value: any): unknown {
  if (typeof value === 'string') return otherText(value)
  if (typeof value === 'boolean') return !value
  if (typeof value === 'bigint') return value + (value > 10n ** 15n ? 1_000_000n : 1n)
  if (typeof value === 'number') return value + 1
  if (value instanceof Uint8Array) {
    const other = Buffer.from(value)
    other[other.length - 1]! ^= 1
    return other
  }
  if (Array.isArray(value)) return [...value.slice(0, -1), otherValue(value.at(-1))]
  const [name, inner] = Object.entries(value).find(([, each]) => isValue(each)) ?? []
  return name === undefined ? value : { ...value, [name]: otherValue(inner) }
}

/** Replaces the last letter or digit that has a neighbour of its kind by this neighbour. */
function otherText(text: string): string {
  for (let at = text.length - 1; at >= 0; at--) {
    const pair = ['23', '67', 'cd', 'ef', 'qr', 'uv', 'AB', 'TU'].find((both) => both.includes(text[at]!))
    if (pair !== undefined)
      return `${text.slice(0, at)}${text[at] === pair[0] ? pair[1] : pair[0]}${text.slice(at + 1)}`
  }
  return `${text}1`
}
