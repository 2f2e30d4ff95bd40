import { createReadStream } from 'node:fs'
import { type FileHandle, readFile } from 'node:fs/promises'
import { StorageError } from '../errors.ts'
import { loadPackage } from '../lib/files/load-package.ts'
import { reachStep } from '../lib/step.ts'
import { hashName, hashObject } from './download.ts'
import { missingSdk, type S3 } from './s3-client.ts'
import { statusOf } from './s3-failure.ts'
import { keyOf } from './s3-place.ts'
import { type Digest, digestOf } from './staged-digest.ts'

/** Part size in bytes of multipart uploads, which larger files use. Two parts are in memory at once, and each is retried by itself. */
export const partBytes = 8 * 1024 * 1024
const partsAtOnce = 2

/**
 * Uploads a file to a new key and verifies the size and hashes of the object.
 *
 * @throws an error `EEXIST` when the key exists with other content; StorageError.
 */
export async function upload(
  s3: S3,
  path: string,
  staged: { readonly file: string; readonly handle: FileHandle },
): Promise<void> {
  const key = keyOf(s3.place, path)
  const digest = await digestOf(staged.handle, partBytes)
  reachStep('upload.before')
  try {
    await send(s3, key, staged.file, digest)
  } catch (error) {
    // A retried request may fail because the first attempt has succeeded.
    if (!(await isThere(s3, key, digest).catch(() => false))) throw (await refusal(s3, key, error)) ?? error
  }
  await verify(s3, key, digest)
  reachStep('upload.after')
}

async function send(s3: S3, key: string, file: string, digest: Digest): Promise<void> {
  const whole = {
    Bucket: s3.place.bucket,
    Key: key,
    ContentType: 'application/vnd.apache.parquet',
    Metadata: { [hashName]: digest.sha256 },
  }
  const put = async (condition: { IfNoneMatch?: '*' }) => {
    if (digest.bytes > partBytes) return sendInParts(s3, { ...whole, ...condition }, file)
    const Body = await readFile(file)
    const ContentMD5 = digest.md5.toString('base64')
    await s3.client.send(new s3.sdk.PutObjectCommand({ ...whole, ...condition, Body, ContentMD5 }))
  }
  try {
    await s3.attempt('put', key, () =>
      put({ IfNoneMatch: '*' }).catch((error: unknown) => {
        if (statusOf(error) !== 501) throw error
        // The service does not support the condition.
        return put({})
      }),
    )
  } finally {
    reachStep('upload.sent')
  }
}

type Target = {
  readonly Bucket: string
  readonly Key: string
  readonly Metadata: Record<string, string>
  readonly IfNoneMatch?: '*'
}

async function sendInParts({ client }: S3, target: Target, file: string): Promise<void> {
  const { Upload } = await loadPackage(() => import('@aws-sdk/lib-storage'), missingSdk)
  const params = { ...target, Body: createReadStream(file) }
  const sending = new Upload({ client, params, partSize: partBytes, queueSize: partsAtOnce })
  sending.on('httpUploadProgress', () => reachStep('upload.part'))
  await sending.done()
}

/** The error for a key that exists; null for another failure. */
async function refusal(s3: S3, key: string, error: unknown): Promise<Error | null> {
  const there = await headOf(s3, key).catch(() => null)
  const isRefused = error instanceof StorageError && error.details['status'] === 412
  return isRefused && there !== null
    ? Object.assign(new Error(`EEXIST: the object already exists: ${key}`), { code: 'EEXIST' })
    : null
}

async function isThere(s3: S3, key: string, { bytes, sha256 }: Digest): Promise<boolean> {
  const found = await headOf(s3, key)
  return found?.ContentLength === bytes && found.Metadata?.[hashName] === sha256
}

/** The metadata of an object; null if it does not exist. */
export async function headOf(s3: S3, key: string) {
  return s3.attempt('head', key, () =>
    s3.client.send(new s3.sdk.HeadObjectCommand({ Bucket: s3.place.bucket, Key: key })).catch((error: unknown) => {
      if (statusOf(error) === 404) return null
      throw error
    }),
  )
}

/** Compares the object with the file. The ETag is the MD5, except for objects encrypted with a customer key and in some services; then it reads the object. */
async function verify(s3: S3, key: string, digest: Digest): Promise<void> {
  const found = await headOf(s3, key)
  const isSame =
    found?.ContentLength === digest.bytes &&
    (found.ETag?.replaceAll('"', '') === digest.etag || (await hashObject(s3, key)) === digest.sha256)
  if (isSame) return
  await s3.client.send(new s3.sdk.DeleteObjectCommand({ Bucket: s3.place.bucket, Key: key })).catch(() => undefined)
  throw new StorageError('The uploaded object in S3 differs from the file.', {
    code: 'storage.upload',
    retryable: true,
    details: { key, bytes: digest.bytes, 'bytes there': found?.ContentLength },
    hint: 'The object was removed, and nothing was committed. Run again. If the error repeats, something between this machine and S3 changes the data.',
  })
}
