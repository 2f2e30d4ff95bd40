import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Pipeline, Table } from '../define/index.ts'
import { packageRoot } from '../lib/files/package-root.ts'
import { compileLists } from '../yaml-lists/compile-lists.ts'

let compiled: readonly Pipeline[] | undefined

/** The pipelines of `pipelines/lists.yaml`, which comes with the package. */
export function shippedLists(): readonly Pipeline[] {
  compiled ??= compileLists(parse(readFileSync(join(packageRoot(), 'pipelines/lists.yaml'), 'utf8')))
  return compiled
}

/** The tables that they fill. */
export function shippedTables(): Table[] {
  return shippedLists().flatMap(({ tables }) => Object.values<Table>(tables))
}
