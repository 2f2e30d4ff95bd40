import { basename, dirname } from 'node:path'
import { createBatcher } from '../../src/batch/batcher.ts'
import type { Table } from '../../src/define/index.ts'
import { openFolderStore } from '../../src/store/folder-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { ParquetThread } from '../../src/write/parquet-thread.ts'

/** Writes the rows of one partition into one file. */
export async function writeRows(
  thread: ParquetThread,
  file: string,
  table: Table,
  rows: Iterable<object>,
  limits: { rows?: number; bytes?: number } = {},
  store: Store = openFolderStore(dirname(file)),
) {
  const part = thread.openPart(store, basename(file), table)
  const batcher = createBatcher(table, limits)
  for (const row of rows) {
    const batch = batcher.append(row)
    if (batch !== null) await part.write(batch.ipc)
  }
  for (const batch of batcher.drain()) await part.write(batch.ipc)
  return part.finish()
}
