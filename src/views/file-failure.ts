import { sep } from 'node:path'
import { StorageError, VerifyError } from '../errors.ts'
import { inDataFolder } from '../lib/data-file-path.ts'
import { lostFilesHint } from '../lib/lost-files.ts'
import type { Store } from '../store/store.ts'

const missingPattern =
  /^IO Error: (?:No files found that match the pattern "(.+?)"|Cannot open file "(.+?)": No such file)/i
/** DuckDB's words for Parquet that is none; those of its Thrift reader name no file. */
const damagedPattern =
  /No magic bytes found|too small to be a Parquet file|not a Parquet file|decompression fail|Could not read enough bytes|^Invalid Error: (?:TProtocolException|Out of buffer|don't know what type|invalid TType)/i

/** A file of a bucket is read by a copy: that may be damaged alone. */
const keptCopyHint =
  'This is a copy of a file in S3. chainlake verify fetches it anew where the copy is not sound, and says whether the file itself is.'

/** What a query's failure at a file means, by DuckDB's message; null for one that is not about a file. */
export function fileFailure(store: Store, cause: Error): VerifyError | StorageError | null {
  const { message } = cause
  const pattern = missingPattern.exec(message)
  const missing = (pattern?.[1] ?? pattern?.[2])?.replace(/\[(.)\]/g, '$1')
  const data = store.url(inDataFolder(''))
  if (missing?.startsWith(data))
    return new VerifyError('A file of a table is gone.', {
      code: 'verify.missing',
      details: { file: inDataFolder(missing.slice(data.length).split(sep).join('/')) },
      hint: lostFilesHint,
      cause,
    })
  if (damagedPattern.test(message)) {
    const file = /[Ff]ile (['"])(.+)\1/.exec(message)?.[2]
    return new VerifyError('A Parquet file that the query reads is damaged.', {
      code: 'verify.damaged',
      details: { file, reason: message.split('\n')[0] },
      hint: store.place.kind === 'folder' ? lostFilesHint : keptCopyHint,
      cause,
    })
  }
  if (!/^IO Error/i.test(message)) return null
  return new StorageError(message, {
    code: 'storage.read',
    hint: 'After a move of the lake, write the views anew with chainlake views.',
    cause,
  })
}
