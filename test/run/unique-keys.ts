import { expect } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { query } from './lake-run.ts'

/** Checks that no two rows of a lake have the same key. */
export async function expectUniqueKeys(lake: string): Promise<void> {
  const counts = tables.map(
    ({ name, key }) =>
      `select '${name}' as name, count(*) as rows, count(distinct (${key.join(', ')})) as keys from ${name}`,
  )
  for (const { name, rows, keys } of await query(lake, counts.join(' union all '))) expect(keys, `${name}`).toBe(rows)
}
