import { ChainlakeError, StorageError } from '../errors.ts'
import { type S3Place, s3AddressText } from './s3-place.ts'

type Meaning = {
  readonly code: string
  readonly problem: string
  readonly hint: string
  /** Whether it may pass. */
  readonly retryable?: true
  /** Names of the errors of S3, of the SDK and of Node. */
  readonly names: readonly string[]
}

const credentials = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, a role of the machine'

const meanings: readonly Meaning[] = [
  {
    code: 'storage.credentials',
    problem: 'There are no credentials for S3',
    hint: `Give them as AWS tools take them (${credentials}); never in chainlake.yaml or a flag.`,
    names: ['CredentialsProviderError', 'NoCredentials', 'CredentialUnavailable'],
  },
  {
    code: 'storage.credentials',
    problem: 'S3 does not accept the credentials',
    hint: `Check them (${credentials}); a temporary one may have run out.`,
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
    problem: 'The clock of this machine is too far from that of S3',
    hint: 'Set the clock (NTP): S3 takes no request that is 15 minutes off.',
    names: ['RequestTimeTooSkewed', 'RequestExpired'],
  },
  {
    code: 'storage.bucket',
    problem: 'There is no such bucket',
    hint: 'Check --data and --s3-endpoint, or make the bucket: chainlake makes none.',
    names: ['NoSuchBucket'],
  },
  {
    code: 'storage.region',
    problem: 'The bucket is in another region, or at another endpoint',
    hint: 'Give its region with --s3-region, and the endpoint of a service that is not AWS with --s3-endpoint.',
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
    problem: 'S3 does not allow it',
    hint: 'The credentials need s3:ListBucket, s3:GetObject and, for who writes, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload for the bucket and prefix.',
    names: ['AccessDenied', 'AllAccessDisabled', 'AccountProblem', 'Forbidden'],
  },
  {
    code: 'storage.slow-down',
    problem: 'S3 asks for fewer requests',
    hint: 'It was asked several times with growing waits. What is committed is safe: run again later.',
    retryable: true,
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
    problem: 'S3 cannot be reached, or the connection was cut',
    hint: 'It was tried several times. Check the network and --s3-endpoint; what is committed is safe: run again.',
    retryable: true,
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
 * What a failure of the AWS SDK means: a StorageError with a code for each thing that somebody can do about it. Of the SDK's error only its
 * name and its words are passed on: it holds the request, which is signed.
 */
export function s3Failure(error: unknown, { what, place, key }: At): Error {
  if (error instanceof ChainlakeError || !(error instanceof Error)) return error as Error
  const answer = error as Answer
  const status = answer.$metadata?.httpStatusCode
  const meaning = meaningOf(answer)
  const said = `${answer.name}: ${answer.message}`.split('\n')[0]
  return new StorageError(`${meaning?.problem ?? 'S3 refused a request'}: ${said}`, {
    code: meaning?.code ?? 'storage.s3',
    retryable: meaning?.retryable === true || (status ?? 0) >= 500,
    details: {
      data: s3AddressText(place),
      endpoint: place.endpoint,
      request: what,
      key,
      status,
      'request id': answer.$metadata?.requestId,
    },
    hint: meaning?.hint ?? 'What is committed is safe. See what S3 says.',
    cause: new Error(said),
  })
}

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  const status = (error as Answer).$metadata?.httpStatusCode ?? 0
  return error instanceof Error && (status >= 500 || meaningOf(error as Answer)?.retryable === true)
}

/** The status of an answer; null for a failure without one. */
export function statusOf(error: unknown): number | null {
  return (error as Answer | undefined)?.$metadata?.httpStatusCode ?? null
}

function meaningOf(answer: Answer): Meaning | undefined {
  const names = [answer.name, answer.code, answer.Code, answer.message]
  const known = meanings.find((meaning) => meaning.names.some((name) => names.includes(name)))
  if (known !== undefined) return known
  // An answer to HEAD has no body that says what is wrong.
  const status = statusOf(answer)
  const code = { 301: 'storage.region', 403: 'storage.denied', 503: 'storage.slow-down' }[status ?? 0]
  if (/socket hang up|aborted|Connection/i.test(answer.message)) return of('storage.connection')
  return code === undefined ? undefined : of(code)
}

function of(code: string): Meaning | undefined {
  return meanings.find((meaning) => meaning.code === code)
}
