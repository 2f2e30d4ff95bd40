import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { StorageError, VerifyError } from '../errors.ts'
import { lostFilesHint } from '../lib/lost-files.ts'
import { waitingOutside } from '../lib/outside-waits.ts'
import { pause } from '../lib/pause.ts'
import type { S3 } from './s3-client.ts'
import { isTransient, statusOf } from './s3-failure.ts'

/** Name of the metadata entry with the hash of an object: `x-amz-meta-sha256`. */
export const hashName = 'sha256'

/** Maximum number of consecutive failures without progress, and the pause after the first of them in milliseconds. */
const maxFailures = 6
const firstPauseMs = 200

/**
 * Downloads an object to a new file and syncs it. An interrupted transfer resumes where it stopped.
 *
 * @throws VerifyError `verify.missing`; `verify.damaged` when the contents differ from the stored hash; StorageError.
 */
export async function download(s3: S3, key: string, to: string): Promise<void> {
  const file = await open(to, 'wx')
  try {
    const { stored, sha256 } = await transfer(s3, key, async (chunk) => void (await file.writeFile(chunk)))
    if (stored !== undefined && stored !== sha256)
      throw new VerifyError('A file in S3 differs from the uploaded file.', {
        code: 'verify.damaged',
        details: { key, expected: `SHA-256 ${stored}`, found: `SHA-256 ${sha256}` },
        hint: lostFilesHint,
      })
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Reads an object and returns its SHA-256, hexadecimal. */
export async function hashObject(s3: S3, key: string): Promise<string> {
  return (await transfer(s3, key, async () => undefined)).sha256
}

/**
 * Reads a small object that other processes overwrite; null if it does not exist. An interrupted transfer starts again, because the rest may
 * be that of a newer text.
 */
export async function readText(s3: S3, key: string): Promise<string | null> {
  for (let failures = 1; ; failures++)
    try {
      const answer = await requestRest(s3, key, 0, undefined)
      return (await answer.Body?.transformToString()) ?? null
    } catch (error) {
      if (isMissing(error)) return null
      await pauseOrThrow(s3, key, error, failures)
    }
}

type TakeChunk = (chunk: Buffer) => Promise<void>
/** `stored`: the hash in the metadata of the object. */
type Transferred = { readonly sha256: string; readonly stored: string | undefined }
/** What the first response says about the object. */
type ObjectFacts = { readonly etag: string | undefined; readonly bytes: number; readonly stored: string | undefined }

function transfer(s3: S3, key: string, take: TakeChunk): Promise<Transferred> {
  return waitingOutside(() => transferWithRetries(s3, key, take))
}

async function transferWithRetries(s3: S3, key: string, take: TakeChunk): Promise<Transferred> {
  const hash = createHash('sha256')
  let received = 0
  let facts: ObjectFacts | undefined
  for (let failures = 0; facts === undefined || received < facts.bytes; ) {
    const before = received
    try {
      const answer = await requestRest(s3, key, received, facts?.etag)
      facts ??= { etag: answer.ETag, bytes: answer.ContentLength ?? 0, stored: answer.Metadata?.[hashName] }
      for await (const chunk of answer.Body as AsyncIterable<Buffer>) {
        hash.update(chunk)
        await take(chunk)
        received += chunk.length
      }
      if (received < facts.bytes) throw Object.assign(new Error('The answer ended early.'), { code: 'ECONNRESET' })
    } catch (error) {
      failures = received > before ? 1 : failures + 1
      await pauseOrThrow(s3, key, error, failures)
    }
  }
  return { sha256: hash.digest('hex'), stored: facts.stored }
}

/** Requests an object from the byte `from` on. `etag` ensures that it is still the same object. */
async function requestRest(
  s3: S3,
  key: string,
  from: number,
  etag: string | undefined,
): Promise<GetObjectCommandOutput> {
  const range = from === 0 ? {} : { Range: `bytes=${from}-`, IfMatch: etag }
  const answer = await s3.client.send(new s3.sdk.GetObjectCommand({ Bucket: s3.place.bucket, Key: key, ...range }))
  if (from > 0 && !answer.ContentRange?.startsWith(`bytes ${from}-`)) throw otherRange(key, from, answer.ContentRange)
  return answer
}

/** Pauses before the next attempt. Throws if a retry cannot succeed, or after too many failures. */
async function pauseOrThrow(s3: S3, key: string, error: unknown, failures: number): Promise<void> {
  if (isMissing(error)) throw missing(key, error)
  if (!isTransient(error) || failures >= maxFailures) await s3.attempt('get', key, () => Promise.reject(error))
  await pause(firstPauseMs * 2 ** (failures - 1) * (0.5 + Math.random()))
}

function otherRange(key: string, from: number, range: string | undefined): StorageError {
  return new StorageError('S3 returned another range than requested.', {
    code: 'storage.range',
    details: { key, requested: `from ${from}`, returned: range },
    hint: 'The service, or a proxy in front of it, does not support range requests. Run again.',
    retryable: true,
  })
}

/** Whether the object is missing. A missing bucket is a different error. */
function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket'
}

function missing(key: string, cause: unknown): VerifyError {
  return new VerifyError('A file of a table is missing.', {
    code: 'verify.missing',
    details: { key, reason: (cause as Error).name },
    hint: `All other committed data is safe. ${lostFilesHint}`,
  })
}
