import { addressBytes, decodeCb58, nodeIdBytes } from '../../codec/ids.ts'
import type { List, Page, RequestedRange, RequestedValues } from '../define/index.ts'
import { DecodeError } from '../errors.ts'
import type { Slice } from '../model.ts'

type Row = Readonly<Record<string, unknown>>

/** A condition on rows, and its text in errors. */
type Rule = { readonly holds: (row: Row) => boolean; readonly columns: readonly string[]; readonly requested: string }

/**
 * Returns the page without the rows outside of the slice. Throws `DecodeError` for a row that was not requested. Such a row would be stored
 * for another wallet or node, or its range would count as read without it.
 */
export function requestedRows(page: Page, { requested, request }: Pick<List, 'requested' | 'request'>): Page {
  if (requested === undefined) return page
  const { values = [], range } = requested
  const rules = [...values.map(valuesRule), ...(range === undefined ? [] : [rangeRule(range)])]
  const isInSlice = range === undefined ? null : isWithin(range, range.slice)
  const rows: Page['rows'] = {}
  for (const [table, all] of Object.entries(page.rows)) {
    for (const [position, row] of all.entries())
      for (const rule of rules) if (!rule.holds(row)) throw notRequested(request, `${table}[${position}]`, row, rule)
    rows[table] = isInSlice === null ? all : all.filter(isInSlice)
  }
  return { ...page, rows }
}

/** Returns the coordinate of a row in a range: a number, or Unix seconds of a time. */
export function coordinateOf(row: Row, { column, holds }: Pick<RequestedRange, 'column' | 'holds'>): number {
  const value = row[column] as number | bigint
  return Number(holds === 'times' ? BigInt(value) / 1_000_000n : value)
}

/** Makes a test for rows with a coordinate in a slice. */
export function isWithin({ column, holds }: Pick<RequestedRange, 'column' | 'holds'>, { from, to }: Slice) {
  // Times are compared as they are: dividing each would take longer.
  const [first, end] = holds === 'times' ? [microseconds(from), microseconds(to)] : [from, to]
  return (row: Row): boolean => {
    const at = row[column] as number | bigint
    return at >= first && at < end
  }
}

function microseconds(seconds: number): bigint {
  return BigInt(seconds) * 1_000_000n
}

function rangeRule(range: RequestedRange): Rule {
  const { column, slice, margin } = range
  const wide = { from: slice.from - margin.before, to: slice.to + margin.after }
  return {
    holds: isWithin(range, wide),
    columns: [column],
    requested: `${column} from ${wide.from} to ${wide.to - 1}`,
  }
}

function valuesRule(requested: RequestedValues): Rule {
  const columns = Object.entries(requested).map(([column, values]) => ({ column, isOne: oneOf(values) }))
  return {
    holds: (row) =>
      columns.some(({ column, isOne }) => {
        const found = textsOf(row[column])
        return found.length === 0 || found.some(isOne)
      }),
    columns: Object.keys(requested),
    requested: Object.entries(requested)
      .map(([column, values]) => `${column} ${shortList(values)}`)
      .join(' or '),
  }
}

function oneOf(values: readonly string[]): (value: string) => boolean {
  const written = new Set(values)
  let bytes: ReadonlySet<string> | null = null
  return (value) => {
    if (written.has(value)) return true
    bytes ??= new Set(values.map(bytesText))
    return bytes.has(bytesText(value))
  }
}

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [String(value)]
}

const hexText = /^(?:0x)?([0-9a-f]{40}|[0-9a-f]{64})$/i

/** Returns one text for the bytes of an address or an id in any spelling. Returns any other text unchanged. */
function bytesText(text: string): string {
  const hex = hexText.exec(text)?.[1]
  if (hex !== undefined) return hex.toLowerCase()
  for (const read of [nodeIdBytes, addressBytes, decodeCb58])
    try {
      return Buffer.from(read(text)).toString('hex')
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
  return text
}

function notRequested(request: List['request'], item: string, row: Row, { columns, requested }: Rule): DecodeError {
  const { path } = request(null)
  const found = columns.map((column) => `${column} ${shown(row[column])}`).join(', ')
  return new DecodeError('The answer has an item that the request did not ask for.', {
    code: 'decode.not-asked',
    details: { path, 'asked for': requested, found, item: `${item}: ${shown(row)}` },
    hint: 'Nothing of this answer was written. The source does not keep to the question: check its URL, or use another one.',
  })
}

/** Errors show the first three values: a job may name thousands of addresses. */
function shortList(values: readonly string[]): string {
  const more = values.length - 3
  return values.slice(0, 3).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner))
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
