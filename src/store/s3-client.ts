import { createRequire } from 'node:module'
import type { S3Client } from '@aws-sdk/client-s3'
import { ChainlakeError, StorageError } from '../errors.ts'
import { loadPackage, type MissingPackage } from '../lib/package.ts'
import { namesProxy } from '../lib/proxy-variables.ts'
import { waitingOutside } from '../lib/wait.ts'
import { type S3Place, s3AddressText } from './s3-place.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

/** A client for one bucket. */
export type S3 = {
  readonly sdk: Sdk
  readonly client: S3Client
  readonly place: S3Place
  /** Runs `work` and translates its failures with `s3Failure`. `what` and `key` describe the request. */
  readonly attempt: <T>(what: string, key: string, work: () => Promise<T>) => Promise<T>
}

/** Number of attempts for a request. The pauses between them grow to 20 seconds. */
const attempts = 8
/** Timeout of a connection in milliseconds. */
const connectMs = 10_000

/** Loads the AWS SDK, an optional package, and makes a client. The first request looks for credentials. */
export async function connectS3(place: S3Place): Promise<S3> {
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
  const attempt: S3['attempt'] = async (what, key, work) => {
    try {
      return await waitingOutside(work)
    } catch (error) {
      throw s3Failure(error, { what, place, key })
    }
  }
  return { sdk, client, place, attempt }
}

/** The error when the packages of AWS are not installed. */
export const missingSdk: MissingPackage = {
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
export function statusOf(error: unknown): number | null {
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
