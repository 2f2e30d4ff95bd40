import { createBatcher, emptyBatch } from '../../batch/batcher.ts'
import type { Table } from '../../define/index.ts'
import { VerifyError } from '../../errors.ts'
import { openSorter } from '../../lookup/sorted-rows.ts'
import { openFolderStore } from '../../store/folder-store.ts'
import type { Store } from '../../store/store.ts'
import { createParquetThread, type PartWriter } from '../../write/parquet-thread.ts'

/** Writes files with the present columns of a table. */
type FlatWriter = {
  /**
   * Writes the rows of a data file to a new file in a folder, in the same order, and compares both.
   *
   * @throws VerifyError `verify.rewritten`; StorageError; the reason of `stop`.
   */
  readonly rewrite: (path: string, target: Target, table: Table) => Promise<void>
  /** Writes a file without rows. */
  readonly writeEmpty: (target: Target, table: Table) => Promise<void>
  readonly close: () => Promise<void>
}

/** A new file in a folder. */
type Target = { readonly folder: string; readonly name: string }

export type WriterSurroundings = {
  /** Folder of the lake. DuckDB spills there. */
  readonly lake: string
  readonly store: Store
  /** A run with a lock that this process holds. */
  readonly runId: string
  readonly stop: AbortSignal
}

export function createFlatWriter({ lake, store, runId, stop }: WriterSurroundings): FlatWriter {
  const thread = createParquetThread()
  const sorter = openSorter(lake, runId, store)

  const copyRows = async (path: string, part: PartWriter, table: Table): Promise<void> => {
    const batcher = createBatcher(table, { buffers: thread.buffers })
    for await (const rows of sorter.rows(table, [{ files: [path], isInOrder: true, bounds: [] }])) {
      stop.throwIfAborted()
      for (const row of rows) {
        const batch = batcher.append(row)
        if (batch !== null) await part.write(batch.ipc)
      }
    }
    for (const batch of batcher.drain()) await part.write(batch.ipc)
  }
  const verifySame = async (path: string, { folder, name }: Target, table: Table): Promise<void> => {
    const written = openSorter(lake, runId, openFolderStore(folder))
    try {
      if ((await sorter.fingerprint(table, [path])) === (await written.fingerprint(table, [name]))) return
    } finally {
      await written.close()
    }
    throw new VerifyError('A rewritten file does not contain the same rows as its source.', {
      code: 'verify.rewritten',
      details: { table: table.name, file: path },
      hint: 'The previous publication is intact. This is a bug: please report it with these details.',
    })
  }
  const write = async (target: Target, table: Table, fill: (part: PartWriter) => Promise<void>): Promise<void> => {
    const part = thread.openPart(openFolderStore(target.folder), target.name, table)
    try {
      await fill(part)
      await part.finish()
    } catch (error) {
      await part.abort()
      throw error
    }
  }
  return {
    async rewrite(path, target, table) {
      await write(target, table, (part) => copyRows(path, part, table))
      await verifySame(path, target, table)
    },
    writeEmpty: (target, table) => write(target, table, (part) => part.write(emptyBatch(table))),
    close: async () => {
      await Promise.all([sorter.close(), thread.close()])
    },
  }
}
