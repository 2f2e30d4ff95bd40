import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { StorageError, VerifyError } from '../errors.ts'
import { lostFilesHint } from '../lib/lost-files.ts'
import { waitingOutside } from '../lib/outside-waits.ts'
import { pause } from '../lib/pause.ts'
import type { S3 } from './s3-client.ts'
import { isPassing, statusOf } from './s3-failure.ts'

/** Where the hash of a file stands beside its object: `x-amz-meta-sha256`. */
export const hashName = 'sha256'

/** How often in a row a transfer is begun again without a byte having come, and the wait after the first. */
const mostFailures = 6
const firstPauseMs = 200

/**
 * Fetches an object to a file that is not there yet, durably. A transfer that is cut goes on where it was.
 *
 * @throws VerifyError `verify.missing`, `verify.damaged` for bytes that have not the hash that was stored with them; StorageError.
 */
export async function download(s3: S3, key: string, to: string): Promise<void> {
  const file = await open(to, 'wx')
  try {
    const expected = await transfer(s3, key, async (piece) => void (await file.writeFile(piece)))
    if (expected.stored !== undefined && expected.stored !== expected.sha256)
      throw new VerifyError('A file in S3 has other bytes than were sent there.', {
        code: 'verify.damaged',
        details: { key, expected: `SHA-256 ${expected.stored}`, found: `SHA-256 ${expected.sha256}` },
        hint: lostFilesHint,
      })
    await file.sync()
  } finally {
    await file.close()
  }
}

/** SHA-256 of an object as it is read, hexadecimal. */
export async function hashObject(s3: S3, key: string): Promise<string> {
  return (await transfer(s3, key, async () => undefined)).sha256
}

type First = { readonly etag: string | undefined; readonly bytes: number; readonly stored: string | undefined }
type Transferred = { readonly sha256: string /** The hash that came with it. */; readonly stored: string | undefined }

function transfer(s3: S3, key: string, take: (piece: Buffer) => Promise<void>): Promise<Transferred> {
  return waitingOutside(() => transferNow(s3, key, take))
}

async function transferNow(s3: S3, key: string, take: (piece: Buffer) => Promise<void>): Promise<Transferred> {
  const hash = createHash('sha256')
  let at = 0
  let first: First | undefined
  for (let failures = 0; first === undefined || at < first.bytes; ) {
    const before = at
    try {
      const answer: GetObjectCommandOutput = await s3.client.send(
        new s3.sdk.GetObjectCommand({
          Bucket: s3.place.bucket,
          Key: key,
          ...(at === 0 ? {} : { Range: `bytes=${at}-`, IfMatch: first?.etag }),
        }),
      )
      first ??= { etag: answer.ETag, bytes: answer.ContentLength ?? 0, stored: answer.Metadata?.[hashName] }
      if (at > 0 && !answer.ContentRange?.startsWith(`bytes ${at}-`)) throw otherRange(key, at, answer.ContentRange)
      for await (const piece of answer.Body as AsyncIterable<Buffer>) {
        hash.update(piece)
        await take(piece)
        at += piece.length
      }
      if (at < first.bytes) throw Object.assign(new Error('The answer ended early.'), { code: 'ECONNRESET' })
    } catch (error) {
      failures = at > before ? 1 : failures + 1
      if (statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket') throw missing(key, error)
      if (!isPassing(error) || failures >= mostFailures) await s3.attempt('get', key, () => Promise.reject(error))
      await pause(firstPauseMs * 2 ** (failures - 1) * (0.5 + Math.random()))
    }
  }
  return { sha256: hash.digest('hex'), stored: first.stored }
}

function otherRange(key: string, at: number, range: string | undefined): StorageError {
  return new StorageError('S3 answered with another range than was asked for.', {
    code: 'storage.range',
    details: { key, asked: `from ${at}`, answered: range },
    hint: 'The service, or something between, does not do ranges. Run again.',
    retryable: true,
  })
}

/** A bucket that is gone is another thing. */
function missing(key: string, cause: unknown): VerifyError {
  return new VerifyError('A file of a table is gone.', {
    code: 'verify.missing',
    details: { key, reason: (cause as Error).name },
    hint: `What is committed elsewhere is safe. ${lostFilesHint}`,
  })
}
