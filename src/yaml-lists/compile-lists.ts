import type { Pipeline } from '../define/index.ts'
import { compileList } from './compile-list.ts'
import { listSchema } from './lists-schema.ts'

/** The pipelines of the lists that have no mistake. `lists` is the setting of chainlake.yaml as it was written. */
export function compileLists(lists: unknown): Pipeline[] {
  if (typeof lists !== 'object' || lists === null) return []
  return Object.entries(lists).flatMap(([name, text]) => {
    const read = listSchema.safeParse(text)
    return read.success && /^[a-z][a-z0-9-]*$/.test(name) ? [compileList(name, read.data)] : []
  })
}
