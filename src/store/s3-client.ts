import { createRequire } from 'node:module'
import type { S3Client } from '@aws-sdk/client-s3'
import { loadPackage, type MissingPackage } from '../lib/files/load-package.ts'
import { waitingOutside } from '../lib/outside-waits.ts'
import { namesProxy } from '../lib/proxy-variables.ts'
import { s3Failure } from './s3-failure.ts'
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
