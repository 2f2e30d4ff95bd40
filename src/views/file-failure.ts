import { sep } from 'node:path'
import { type ErrorFacts, StorageError, VerifyError } from '../errors.ts'
import { lostFilesHint } from '../lib/lost-files.ts'
import { inDataFolder } from '../store/data-file-path.ts'
import type { Store } from '../store/store.ts'

const missingPattern =
  /^IO Error: (?:No files found that match the pattern "(.+?)"|Cannot open file "(.+?)": No such file)/i
/** DuckDB's messages for a file that is not valid Parquet; those of its Thrift reader name no file. */
const damagedPattern =
  /No magic bytes found|too small to be a Parquet file|not a Parquet file|decompression fail|Could not read enough bytes|^Invalid Error: (?:TProtocolException|Out of buffer|don't know what type|invalid TType)/i

/** DuckDB reads a copy of a file in a bucket, and the copy alone may be damaged. */
const keptCopyHint =
  'This is a local copy of a file in S3. Run chainlake verify: it downloads damaged copies again, and checks the file in S3.'

/** The error for a query's failure at a file, from DuckDB's message; null for a message that is not about a file. */
export function fileFailure(store: Store, cause: Error): VerifyError | StorageError | null {
  const { message } = cause
  const pattern = missingPattern.exec(message)
  const missing = (pattern?.[1] ?? pattern?.[2])?.replace(/\[(.)\]/g, '$1')
  const data = store.url(inDataFolder(''))
  if (missing?.startsWith(data)) return missingFile(dataFileOf(store, missing), cause)
  if (damagedPattern.test(message)) {
    const file = /[Ff]ile (['"])(.+)\1/.exec(message)?.[2]
    return damagedFile(store, { file, reason: message.split('\n')[0] }, cause)
  }
  if (!/^IO Error/i.test(message)) return null
  return new StorageError(message, {
    code: 'storage.read',
    hint: 'If the lake was moved, rewrite its views with chainlake views.',
    cause,
  })
}

export function missingFile(file: string, cause?: Error): VerifyError {
  return new VerifyError('A data file of a table is missing.', {
    code: 'verify.missing',
    details: { file },
    hint: lostFilesHint,
    cause,
  })
}

export function damagedFile(store: Store, details: ErrorFacts, cause?: Error): VerifyError {
  return new VerifyError('A Parquet file that the query reads is damaged.', {
    code: 'verify.damaged',
    details,
    hint: store.remote === null ? lostFilesHint : keptCopyHint,
    cause,
  })
}

/** Path of a data file relative to its lake, from the address at which DuckDB reads the file. */
export function dataFileOf(store: Store, url: string): string {
  return inDataFolder(
    url
      .slice(store.url(inDataFolder('')).length)
      .split(sep)
      .join('/'),
  )
}
