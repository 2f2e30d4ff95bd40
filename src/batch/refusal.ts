import type { Table } from '../define/index.ts'
import { SchemaError } from '../errors.ts'

/** The error for a value that its column cannot hold. `column` is `table.column`, with more dots for nested columns. */
export function refusedValue(column: string, value: unknown, expected: string): SchemaError {
  return new SchemaError(`${column} holds ${expected}, not ${describe(value)}.`, {
    code: 'schema.value',
    details: { column },
  })
}

/** Adds the row's key to a `SchemaError`; returns any other error unchanged. */
export function refusedRow(table: Table, row: Readonly<Record<string, unknown>>, error: unknown): unknown {
  if (!(error instanceof SchemaError)) return error
  const { code, details, hint, message } = error
  const key = table.key.map((column) => `${column}=${String(row[column])}`).join(' ')
  return new SchemaError(message, {
    code,
    details: { ...details, row: key },
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Throws `SchemaError` when an object has other keys than the declaration. */
export function compareKeys(owner: string, declared: readonly string[], value: object): void {
  const present = Object.keys(value)
  const missing = declared.filter((name) => !present.includes(name))
  const extra = present.filter((name) => !declared.includes(name))
  if (missing.length === 0 && extra.length === 0) return
  throw new SchemaError(`A row of ${owner} does not have the declared columns.`, {
    code: 'schema.keys',
    details: { missing: missing.join(', ') || null, extra: extra.join(', ') || null },
    hint: 'Declare the column in schemas/, or fill it in the decoder.',
  })
}

function describe(value: unknown): string {
  if (value === undefined) return 'undefined (the column is missing)'
  if (typeof value === 'bigint') return `the bigint ${value}`
  if (typeof value === 'string')
    return `the text ${JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)}`
  if (typeof value === 'object' && value !== null) return `a ${value.constructor?.name ?? 'value'}`
  return `the ${typeof value} ${value}`
}
