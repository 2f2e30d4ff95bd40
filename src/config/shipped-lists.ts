import type { Pipeline, Table } from '../define/index.ts'
import { compileLists } from '../yaml-lists/check-list.ts'
import { shippedListsText } from './shipped-lists-text.ts'

let compiled: readonly Pipeline[] | undefined

/** The pipelines of `pipelines/lists.yaml`, which comes with the package. */
export function shippedLists(): readonly Pipeline[] {
  compiled ??= compileLists(shippedListsText())
  return compiled
}

/** The tables that they fill. */
export function shippedTables(): Table[] {
  return shippedLists().flatMap(({ tables }) => Object.values<Table>(tables))
}
