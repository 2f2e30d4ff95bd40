import { blockTime, type Tables } from '../../define/index.ts'
import type { Part } from '../../model.ts'

/** The latest `block_time` of rows in these files, from their statistics, ISO 8601 in UTC; null where no row has one. */
export function newestTime(parts: readonly Part[], tables: Tables): string | null {
  const ids = new Map(Object.values(tables).map((table) => [table.name, table.ids?.columns[blockTime]]))
  const times = parts.flatMap(({ table, stats }) => {
    const max = stats.find(({ fieldId }) => fieldId === ids.get(table))?.max ?? null
    return max === null ? [] : [Date.parse(max.replace(' ', 'T').replace(/\+00$/, 'Z'))]
  })
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString()
}
