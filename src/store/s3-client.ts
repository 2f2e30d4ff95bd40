import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { ChainlakeError, errorKind, StorageError, VerifyError } from '../errors.ts'
import { lostFilesHint } from '../lib/files.ts'
import { loadPackage } from '../lib/package.ts'
import { namesProxy } from '../lib/proxy-variables.ts'
import { reachStep } from '../lib/step.ts'
import { pause, waitingOutside } from '../lib/wait.ts'
import { keyOf, type S3Place, s3AddressText } from './s3-place.ts'
import { missingFile } from './store.ts'

export type S3 = Awaited<ReturnType<typeof connectS3>>

/** Number of attempts for a request. The pauses between them grow to 20 seconds. */
const attempts = 8
const connectMs = 10_000

/** A client for one bucket. It loads the AWS SDK, an optional package. The first request looks for credentials. */
export async function connectS3(place: S3Place) {
  const sdk = await loadPackage(() => import('@aws-sdk/client-s3'), missingSdk)
  // Only large files need it: without this, a run fails at its first large file.
  await loadPackage(async () => createRequire(import.meta.url).resolve('@aws-sdk/lib-storage'), missingSdk)
  const { endpoint, region, pathStyle } = place
  const agents = namesProxy() ? (await import('../lib/proxy.ts')).proxyAgents(connectMs) : {}
  const client = new sdk.S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    // Other services have no region, but the SDK requires one.
    ...(region !== undefined ? { region } : endpoint === undefined ? {} : { region: 'us-east-1' }),
    ...(pathStyle === undefined ? {} : { forcePathStyle: pathStyle }),
    maxAttempts: attempts,
    // Other services refuse newer checksum algorithms.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      ...agents,
      connectionTimeout: connectMs,
      socketTimeout: 60_000,
      requestTimeout: 120_000,
      throwOnRequestTimeout: true,
    },
  })
  /** Runs `work` and translates its failures with `s3Failure`. `what` and `key` describe the request. */
  const attempt = async <T>(what: string, key: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await waitingOutside(work)
    } catch (error) {
      throw s3Failure(error, { what, place, key })
    }
  }
  return { sdk, client, place, attempt }
}

/** The error when the packages of AWS are not installed. */
const missingSdk = {
  message: 'A lake with files in S3 needs packages that are not installed.',
  code: 'storage.package',
  hint: 'Install them next to chainlake: npm install @aws-sdk/client-s3@3 @aws-sdk/lib-storage@3',
}

/** Name of a bucket in messages. */
export function placeText(place: S3Place): string {
  return place.endpoint === undefined ? s3AddressText(place) : `${s3AddressText(place)} at ${place.endpoint}`
}

type Meaning = {
  readonly code: string
  readonly problem: string
  readonly hint: string
  readonly kind?: 'transient'
  /** Names of the errors of S3, of the SDK and of Node. */
  readonly names: readonly string[]
}

const credentials = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, a role of the machine'

const meanings: readonly Meaning[] = [
  {
    code: 'storage.credentials',
    problem: 'S3 credentials are missing',
    hint: `Provide them as for AWS tools (${credentials}), never in chainlake.yaml or in a flag.`,
    names: ['CredentialsProviderError', 'NoCredentials', 'CredentialUnavailable'],
  },
  {
    code: 'storage.credentials',
    problem: 'S3 rejected the credentials',
    hint: `Check them (${credentials}). Temporary credentials may have expired.`,
    names: [
      'InvalidAccessKeyId',
      'SignatureDoesNotMatch',
      'InvalidToken',
      'ExpiredToken',
      'ExpiredTokenException',
      'TokenRefreshRequired',
      'InvalidClientTokenId',
      'UnrecognizedClientException',
    ],
  },
  {
    code: 'storage.clock',
    problem: 'The clock of this machine differs too much from that of S3',
    hint: 'Set the clock (NTP). S3 rejects requests if the clocks differ by 15 minutes or more.',
    names: ['RequestTimeTooSkewed', 'RequestExpired'],
  },
  {
    code: 'storage.bucket',
    problem: 'The bucket does not exist',
    hint: 'Check --data and --s3-endpoint, or create the bucket: chainlake does not create buckets.',
    names: ['NoSuchBucket'],
  },
  {
    code: 'storage.region',
    problem: 'The bucket is in another region, or at another endpoint',
    hint: 'Set --s3-region to its region. For a service other than AWS, set --s3-endpoint.',
    names: [
      'PermanentRedirect',
      'AuthorizationHeaderMalformed',
      'IllegalLocationConstraintException',
      'TemporaryRedirect',
      'Region is missing',
    ],
  },
  {
    code: 'storage.denied',
    problem: 'S3 denied access',
    hint: 'The credentials need s3:ListBucket and s3:GetObject for the bucket and prefix. To write, they also need s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload.',
    names: ['AccessDenied', 'AllAccessDisabled', 'AccountProblem', 'Forbidden'],
  },
  {
    code: 'storage.slow-down',
    problem: 'S3 throttles requests',
    hint: 'chainlake retried several times with growing pauses. Committed data is safe. Run again later.',
    kind: 'transient',
    names: [
      'SlowDown',
      'ServiceUnavailable',
      'Throttling',
      'ThrottlingException',
      'RequestLimitExceeded',
      'InternalError',
      'BandwidthLimitExceeded',
    ],
  },
  {
    code: 'storage.connection',
    problem: 'S3 is unreachable, or the connection was lost',
    hint: 'chainlake retried several times. Committed data is safe. Check the network and --s3-endpoint, then run again.',
    kind: 'transient',
    names: [
      'ECONNREFUSED',
      'ECONNRESET',
      'ENOTFOUND',
      'EAI_AGAIN',
      'EPIPE',
      'ETIMEDOUT',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'TimeoutError',
      'RequestTimeout',
      'NetworkingError',
      'IncompleteBody',
      'AbortError',
    ],
  },
]

type At = { readonly what: string; readonly place: S3Place; readonly key: string }
type Answer = Error & {
  readonly code?: string
  readonly Code?: string
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string; readonly attempts?: number }
}

/**
 * Translates a failure of the AWS SDK into a StorageError. Each code stands for one thing that a user can do. It keeps only the name and the
 * message of the SDK's error, because the error also holds the signed request.
 */
function s3Failure(error: unknown, { what, place, key }: At): Error {
  if (error instanceof ChainlakeError || !(error instanceof Error)) return error as Error
  const answer = error as Answer
  const status = answer.$metadata?.httpStatusCode
  const meaning = meaningOf(answer)
  const said = `${answer.name}: ${answer.message}`.split('\n')[0]
  return new StorageError(`${meaning?.problem ?? 'S3 rejected a request'}: ${said}`, {
    code: meaning?.code ?? 'storage.s3',
    kind: (status ?? 0) >= 500 ? 'transient' : (meaning?.kind ?? 'lasting'),
    details: {
      data: s3AddressText(place),
      endpoint: place.endpoint,
      request: what,
      key,
      status,
      'request id': answer.$metadata?.requestId,
    },
    hint: meaning?.hint ?? 'Committed data is safe. See the message of S3 above.',
    cause: new Error(said),
  })
}

/** The HTTP status of a failure; null if it has none. */
function statusOf(error: unknown): number | null {
  return (error as Answer | undefined)?.$metadata?.httpStatusCode ?? null
}

function meaningOf(answer: Answer): Meaning | undefined {
  const names = [answer.name, answer.code, answer.Code, answer.message]
  const known = meanings.find((meaning) => meaning.names.some((name) => names.includes(name)))
  if (known !== undefined) return known
  // The response to HEAD has no body with an error code.
  const status = statusOf(answer)
  const code = { 301: 'storage.region', 403: 'storage.denied', 503: 'storage.slow-down' }[status ?? 0]
  if (/socket hang up|aborted|Connection/i.test(answer.message)) return of('storage.connection')
  return code === undefined ? undefined : of(code)
}

function of(code: string): Meaning | undefined {
  return meanings.find((meaning) => meaning.code === code)
}

/** Name of the metadata entry with the hash of an object: `x-amz-meta-sha256`. */
const hashName = 'sha256'

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
    const { stored, sha256 } = await waitingOutside(() => transfer(s3, key, (chunk) => file.writeFile(chunk)))
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

/** What the first response says about the object. `stored`: the hash in its metadata. */
type ObjectFacts = { readonly etag: string | undefined; readonly bytes: number; readonly stored: string | undefined }

/** Passes the bytes of an object on, and returns their hash and the hash in its metadata. */
async function transfer(s3: S3, key: string, take: (chunk: Buffer) => Promise<void>) {
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
async function requestRest(s3: S3, key: string, from: number, etag: string | undefined) {
  const range = from === 0 ? {} : { Range: `bytes=${from}-`, IfMatch: etag }
  const answer = await s3.client.send(new s3.sdk.GetObjectCommand({ Bucket: s3.place.bucket, Key: key, ...range }))
  if (from > 0 && !answer.ContentRange?.startsWith(`bytes ${from}-`)) throw otherRange(key, from, answer.ContentRange)
  return answer
}

/** Pauses before the next attempt. Throws if a retry cannot succeed, or after too many failures. */
async function pauseOrThrow(s3: S3, key: string, error: unknown, failures: number): Promise<void> {
  if (isMissing(error)) throw missingFile({ key, reason: (error as Error).name }, error)
  const failure = await s3.attempt('get', key, () => Promise.reject<Error>(error)).catch((each: Error) => each)
  // An error of chainlake says that the transfer is wrong, not interrupted.
  const isWrong = failure instanceof StorageError && failure === error
  if (isWrong || errorKind(failure) !== 'transient' || failures >= maxFailures) throw failure
  await pause(firstPauseMs * 2 ** (failures - 1) * (0.5 + Math.random()))
}

function otherRange(key: string, from: number, range: string | undefined): StorageError {
  return new StorageError('S3 returned another range than requested.', {
    code: 'storage.range',
    details: { key, requested: `from ${from}`, returned: range },
    hint: 'The service, or a proxy in front of it, does not support range requests. Run again.',
    kind: 'transient',
  })
}

/** Whether the object is missing. A missing bucket is a different error. */
function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket'
}

/** Part size in bytes of multipart uploads, which larger files use. Two parts are in memory at once, and each is retried by itself. */
const partBytes = 8 * 1024 * 1024
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
  const digest = await digestOf(staged.handle)
  reachStep('upload.before')
  try {
    await send(s3, key, staged.file, digest)
  } catch (error) {
    const there = await headOf(s3, key).catch(() => null)
    // A retried request may fail because the first attempt has succeeded.
    const isOwn = there?.ContentLength === digest.bytes && there.Metadata?.[hashName] === digest.sha256
    const isTaken = there !== null && error instanceof StorageError && error.details['status'] === 412
    if (!isOwn && isTaken)
      throw Object.assign(new Error(`EEXIST: the object already exists: ${key}`), { code: 'EEXIST' })
    if (!isOwn) throw error
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
    // A file of one part becomes one request.
    ...(digest.bytes <= partBytes ? { ContentMD5: Buffer.from(digest.etag, 'hex').toString('base64') } : {}),
  }
  const { Upload } = await loadPackage(() => import('@aws-sdk/lib-storage'), missingSdk)
  const put = async (condition: { IfNoneMatch?: '*' }) => {
    const params = { ...whole, ...condition, Body: createReadStream(file) }
    const sending = new Upload({ client: s3.client, params, partSize: partBytes, queueSize: partsAtOnce })
    sending.on('httpUploadProgress', () => reachStep('upload.part'))
    await sending.done()
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
    (found.ETag?.replaceAll('"', '') === digest.etag ||
      (await waitingOutside(() => transfer(s3, key, async () => undefined))).sha256 === digest.sha256)
  if (isSame) return
  await s3.client.send(new s3.sdk.DeleteObjectCommand({ Bucket: s3.place.bucket, Key: key })).catch(() => undefined)
  throw new StorageError('The uploaded object in S3 differs from the file.', {
    code: 'storage.upload',
    kind: 'transient',
    details: { key, bytes: digest.bytes, 'bytes there': found?.ContentLength },
    hint: 'The object was removed, and nothing was committed. Run again. If the error repeats, something between this machine and S3 changes the data.',
  })
}

type Digest = Awaited<ReturnType<typeof digestOf>>

/** Size and hashes of a file, hexadecimal. */
async function digestOf(file: FileHandle) {
  const sha256 = createHash('sha256')
  const parts: Buffer[] = []
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  let part = createHash('md5')
  let bytes = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, partBytes - (bytes % partBytes)), bytes)
    if (bytesRead === 0) break
    const read = buffer.subarray(0, bytesRead)
    for (const hash of [sha256, part]) hash.update(read)
    bytes += bytesRead
    if (bytes % partBytes !== 0) continue
    parts.push(part.digest())
    part = createHash('md5')
  }
  if (bytes % partBytes !== 0) parts.push(part.digest())
  const ofParts = createHash('md5').update(Buffer.concat(parts)).digest('hex')
  // The ETag in S3: the MD5, or the MD5 of the MD5s of the parts, followed by their number.
  const etag = bytes <= partBytes ? (parts[0] ?? part.digest()).toString('hex') : `${ofParts}-${parts.length}`
  return { bytes, sha256: sha256.digest('hex'), etag }
}
