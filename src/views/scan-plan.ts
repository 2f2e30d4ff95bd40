/**
 * What a query reads from a table: the rows that meet all bounds, or all rows if there are no bounds. Alternatives become several scans.
 */
export type Scan = { readonly table: string; readonly bounds: readonly Bound[] }

/** `column operator value`, the value as text. */
export type Bound = { readonly column: string; readonly operator: Operator; readonly value: string }
export type Operator = '=' | '<' | '<=' | '>' | '>='

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
function boundsOf(filters: unknown): Bound[][] {
  const items = (Array.isArray(filters) ? filters : [filters]).filter((item) => typeof item === 'string')
  // DuckDB cuts a value at a line feed, and the first piece has an open quote. Values cannot be recognized then.
  if (items.some((item) => (item.split("'").length - 1) % 2 === 1)) return [[]]
  let all: Bound[][] = [[]]
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
function conditionsOf(filter: string): Bound[][] {
  const found = (): Bound[][] => [...filter.matchAll(conditions)].map(([text]) => alternativesOf(text))
  if (allOf.test(filter)) return found()
  return oneOf.test(filter) ? [found().flat()] : []
}

function alternativesOf(text: string): Bound[] {
  const [, column = '', operator = '', rest = ''] = /^(\w+)( IN |>=|<=|=|<|>)(.*)$/s.exec(text) ?? []
  const each = operator === ' IN ' ? [...rest.matchAll(values)].map(([one]) => one) : [rest]
  const compared = operator === ' IN ' ? '=' : (operator as Operator)
  return each.map((one) => ({ column, operator: compared, value: plainValue(one) }))
}

function plainValue(text: string): string {
  return /^'(.*)'(?:::[A-Z ]+)?$/s.exec(text)?.[1]?.replaceAll("''", "'") ?? text
}
