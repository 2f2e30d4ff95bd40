import { DuckDBInstance } from '@duckdb/node-api'
import { ChainlakeError, StorageError, VerifyError } from '../errors.ts'
import { diskRefusal, isOfDuckDb } from '../lib/files/disk-refusal.ts'
import { lostFilesHint } from '../lib/lost-files.ts'
import { sqlText } from '../lib/text/sql-quote.ts'
import type { Store } from '../store/store.ts'

const systemPattern =
  /^Out of Memory Error|No space left|disk is full|quota exceeded|Permission denied|Read-only file system|Too many open files|Cannot allocate memory/i

/**
 * Translates a failure of DuckDB at files of the lake: a `VerifyError` that names the first missing or unreadable file, or a `StorageError` if
 * disk or memory were exhausted. The messages of DuckDB often name no file and do not separate the two, so this reads the files. Other errors
 * are returned unchanged.
 */
export async function lookupFailure(error: unknown, { lakeDir, store, files }: LookedAt): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof ChainlakeError) return error
  if (!isOfDuckDb(error)) return error
  const reason = error.message.split('\n')[0] ?? ''
  const found = systemPattern.test(reason) ? null : await firstUnreadable(store, files)
  if (found !== null)
    return new VerifyError(found.missing ? 'A file of a table is missing.' : 'A file of a table is damaged.', {
      code: found.missing ? 'verify.missing' : 'verify.damaged',
      details: { lake: lakeDir, file: found.file, reason: found.reason },
      hint: `All other committed data is safe. ${lostFilesHint}`,
      cause: error,
    })
  if (!systemPattern.test(reason) && !reason.startsWith('IO Error: ')) return error
  const refusal = diskRefusal(error, lakeDir)
  return new StorageError(refusal === null ? 'The files of a table could not be read.' : `${refusal.problem}.`, {
    code: refusal?.code ?? 'storage.lookup',
    retryable: refusal?.retryable ?? false,
    details: { lake: lakeDir, reason },
    hint: 'Committed data is safe. Check the free disk space, the memory and the permissions of the files under data/, then run again.',
    cause: error,
  })
}

/** Files by their paths relative to the lake. */
type LookedAt = { readonly lakeDir: string; readonly store: Store; readonly files: readonly string[] }
type Unreadable = { readonly file: string; readonly missing: boolean; readonly reason: string }

async function firstUnreadable(store: Store, files: readonly string[]): Promise<Unreadable | null> {
  // Uses a new instance: after some failures the other one refuses further work.
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '128MB' })
  const connection = await instance.connect()
  try {
    for (const file of files) {
      const [bytes] = await store.sizes([file])
      if (bytes === null) return { file, missing: true, reason: 'The file does not exist.' }
      const path = sqlText(store.url(file).replace(/[*?[]/g, '[$&]'))
      try {
        await connection.run(`SELECT max(hash(f)) FROM read_parquet(${path}, hive_partitioning = false) f`)
      } catch (error) {
        const reason = (error as Error).message.split('\n')[0] ?? ''
        if (!systemPattern.test(reason)) return { file, missing: false, reason }
      }
    }
    return null
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
