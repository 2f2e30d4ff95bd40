import type { DuckDBConnection } from '@duckdb/node-api'
import { blockDate, blockTime, type Columns, hasBlockDate, isShownAsText, type Table } from '../define/index.ts'
import { openDuckDb } from '../lib/duckdb.ts'
import { sqlName } from '../lib/text.ts'
import { addressMacro, emptyTableQuery } from './lake-scripts.ts'
import { mentionedViews, readViews, whyNotOneSelect } from './query.ts'

const dayMs = 86_400_000

/** Which side of a day, and in which direction, the times lie that meet a comparison of dates. */
const sides: Readonly<Record<Operator, readonly (readonly [operator: Operator, days: 0 | 1])[]>> = {
  '=': [
    ['>=', 0],
    ['<', 1],
  ],
  '<': [['<', 0]],
  '<=': [['<', 1]],
  '>': [['>=', 1]],
  '>=': [['>=', 0]],
}

/** A bound on `block_date` as bounds on `block_time`, for which the catalog has statistics. Other bounds stay. */
export function timeBounds(bound: FilterBound): FilterBound[] {
  const { column, operator, value } = bound
  const day = Date.parse(`${value}T00:00:00Z`)
  if (column !== blockDate || Number.isNaN(day)) return [bound]
  return sides[operator].map(([compared, days]) => ({
    column: blockTime,
    operator: compared,
    value: new Date(day + days * dayMs).toISOString(),
  }))
}

/**
 * What a query reads from a table: the rows that meet all bounds, or all rows if there are no bounds. Alternatives become several scans.
 */
type Scan = { readonly table: string; readonly bounds: readonly FilterBound[] }

/** `column operator value`, the value as text. */
type FilterBound = { readonly column: string; readonly operator: Operator; readonly value: string }
type Operator = '=' | '<' | '<=' | '>' | '>='

type Node = {
  readonly name: string
  readonly extra_info: Readonly<Record<string, unknown>>
  readonly children: readonly Node[]
}

/** The nodes of plans that read tables only by scans. An unknown node could read a table in another way. */
const known = new Set(
  `AGGREGATE ASOF_JOIN BLOCKWISE_NL_JOIN COLUMN_DATA_SCAN CROSS_PRODUCT CTE CTE_SCAN DELIM_SCAN DUMMY_SCAN EMPTY_RESULT EXPRESSION_SCAN FILTER
  HASH_GROUP_BY HASH_JOIN IE_JOIN LEFT_DELIM_JOIN LIMIT LIMIT_PERCENT NESTED_LOOP_JOIN ORDER_BY PARTITIONED_AGGREGATE PERFECT_HASH_GROUP_BY
  PIECEWISE_MERGE_JOIN PIVOT PROJECTION RECURSIVE_CTE REC_CTE_SCAN RIGHT_DELIM_JOIN RANGE RESERVOIR_SAMPLE SEQ_SCAN STREAMING_LIMIT
  STREAMING_SAMPLE STREAMING_WINDOW SIMPLE_AGGREGATE TOP_N UNGROUPED_AGGREGATE UNION UNNEST WINDOW`.split(/\s+/),
)

/**
 * The scans of a plan from `EXPLAIN (FORMAT JSON)`; null for a plan that is not fully understood. Only filters that are fully understood
 * become bounds. The others are left out, and the caller then reads more.
 */
export function readScans(plan: readonly Node[]): Scan[] | null {
  const scans: Scan[] = []
  const isKnown = (node: Node): boolean => {
    if (node.name.trim() === 'SEQ_SCAN') {
      const table = node.extra_info['Table']
      if (typeof table !== 'string') return false
      const name = table.split('.').at(-1) ?? ''
      for (const bounds of boundsOf(node.extra_info['Filters'])) scans.push({ table: name, bounds })
    }
    return known.has(node.name.trim()) && node.children.every(isKnown)
  }
  return plan.every(isKnown) ? scans : null
}

/** Filters that would give more alternatives than these are left out, because each alternative is one query of the catalog. */
const mostAlternatives = 32

/** The bounds of a scan, one list for each alternative. The rows of the scan meet all of its filters. */
function boundsOf(filters: unknown): FilterBound[][] {
  const items = (Array.isArray(filters) ? filters : [filters]).filter((item) => typeof item === 'string')
  // DuckDB cuts a value at a line feed, and the first piece has an open quote. Values cannot be recognized then.
  if (items.some((item) => (item.split("'").length - 1) % 2 === 1)) return [[]]
  let all: FilterBound[][] = [[]]
  for (const alternatives of items.flatMap(conditionsOf)) {
    if (all.length * alternatives.length > mostAlternatives) continue
    all = all.flatMap((bounds) => alternatives.map((bound) => [...bounds, bound]))
  }
  return all
}

const value = "-?\\d+(?:\\.\\d+)?|'(?:[^']|'')*'(?:::[A-Z ]+)?"
const comparison = `(?:\\w+)(?:>=|<=|=|<|>)(?:${value})`
const list = `\\w+ IN \\((?:${value})(?:, (?:${value}))*\\)`
/** A filter that the plan need not check at once is `optional`. The rows of the answer meet it all the same. */
const condition = `(?:${comparison}|(?:optional: )?${list})`
const allOf = new RegExp(`^${condition}(?: AND ${condition})*$`)
const oneOf = new RegExp(`^optional: ${comparison}(?: OR ${comparison})+$`)
const conditions = new RegExp(`(?:${list}|${comparison})(?= AND | OR |$)`, 'g')
const values = new RegExp(`(?:${value})(?=, |\\)$)`, 'g')

/** The conditions of a filter, each as a list of alternative bounds. Empty for a filter that is not fully understood. */
function conditionsOf(filter: string): FilterBound[][] {
  const found = (): FilterBound[][] => [...filter.matchAll(conditions)].map(([text]) => alternativesOf(text))
  if (allOf.test(filter)) return found()
  return oneOf.test(filter) ? [found().flat()] : []
}

function alternativesOf(text: string): FilterBound[] {
  const [, column = '', operator = '', rest = ''] = /^(\w+)( IN |>=|<=|=|<|>)(.*)$/s.exec(text) ?? []
  const each = operator === ' IN ' ? [...rest.matchAll(values)].map(([one]) => one) : [rest]
  const compared = operator === ' IN ' ? '=' : (operator as Operator)
  return each.map((one) => ({ column, operator: compared, value: plainValue(one) }))
}

function plainValue(text: string): string {
  return /^'(.*)'(?:::[A-Z ]+)?$/s.exec(text)?.[1]?.replaceAll("''", "'") ?? text
}

/** The optimizers that use the query alone. All others may look at rows, and the tables here have none. */
const optimizers = [
  'expression_rewriter',
  'filter_pullup',
  'filter_pushdown',
  'cte_filter_pusher',
  'cte_inlining',
  'regex_range',
  'in_clause',
  'deliminator',
]

/**
 * Finds out what queries on the views of a lake read, without running them. `views` is a connection to the views. `tables` are those that have files; the planner
 * creates each of them as an empty table.
 */
export async function openQueryPlanner(views: DuckDBConnection, tables: readonly Table[]) {
  const queries = await readViews(views)
  const names = tables.map(({ name }) => name)
  const dated = new Set(tables.filter(hasBlockDate).map(({ name }) => name))
  /** The catalog has statistics of the bytes, not of the text. */
  const texts = new Set(tables.flatMap(textColumns))
  const { connection, close } = await openDuckDb(':memory:')
  try {
    await connection.run("SET TimeZone = 'UTC'")
    await connection.run(addressMacro)
    for (const table of tables) await connection.run(`CREATE TABLE ${sqlName(table.name)} AS ${emptyTableQuery(table)}`)
    await makeViews(
      connection,
      [...queries].filter(([name]) => !names.includes(name)).map(([, sql]) => sql),
    )
    const all = await connection.runAndReadAll('SELECT name FROM duckdb_optimizers()')
    const off = all.getRows().flatMap(([name]) => (optimizers.includes(String(name)) ? [] : [String(name)]))
    await connection.run(`SET disabled_optimizers = '${off.join(',')}'`)
  } catch (error) {
    close()
    throw error
  }
  return {
    /** The scans of one SELECT. Null for another statement, and for a plan that is not fully understood. */
    async scansOf(sql: string): Promise<Scan[] | null> {
      try {
        if ((await whyNotOneSelect(connection, sql)) !== null) return null
        const reader = await connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${sql}`)
        const scans = readScans(JSON.parse(String(reader.getRows()[0]?.[1])))
        if (!scans?.every(({ table }) => names.includes(table))) return null
        return scans.map(({ table, bounds }) => {
          const known = bounds.filter(({ column }) => !texts.has(`${table}.${column}`))
          return { table, bounds: dated.has(table) ? known.flatMap(timeBounds) : known }
        })
      } catch {
        // The query itself will report what is wrong with it.
        return null
      }
    },
    /** Every table that a text may read: those that it names, and those of the views that it names. */
    mentioned: (text: string): string[] => {
      const named = mentionedViews(text, queries, names)
      return names.filter((name) => named.has(name))
    },
    close,
  }
}

function textColumns({ name, columns }: Table): string[] {
  return Object.entries(columns as Columns).flatMap(([column, declared]) =>
    isShownAsText(column, declared) ? [`${name}.${column}`] : [],
  )
}

/** Creates each view after the views that it reads. The scripts do not say which these are. */
async function makeViews(connection: DuckDBConnection, scripts: readonly string[]): Promise<void> {
  let left = scripts
  while (left.length > 0) {
    const failed: string[] = []
    let failure: unknown
    for (const script of left) {
      try {
        await connection.run(script)
      } catch (error) {
        failure = error
        failed.push(script)
      }
    }
    if (failed.length === left.length) throw failure
    left = failed
  }
}
