import type { S3Client } from '@aws-sdk/client-s3'
import { loadPackage, type MissingPackage } from '../lib/files/load-package.ts'
import { waitingOutside } from '../lib/outside-waits.ts'
import { s3Failure } from './s3-failure.ts'
import { type S3Place, s3AddressText } from './s3-place.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

/** A bucket that is asked. */
export type S3 = {
  readonly sdk: Sdk
  readonly client: S3Client
  readonly place: S3Place
  /** Does what `work` does with the client; its failures become those of `s3Failure`, which say what was done at which key. */
  readonly attempt: <T>(what: string, key: string, work: () => Promise<T>) => Promise<T>
}

/** How often a request is sent before it fails; the waits between grow to 20 s. */
const attempts = 8

/** Loads the AWS SDK, which is an optional package, and makes a client. Credentials are looked for by the first request. */
export async function connectS3(place: S3Place): Promise<S3> {
  const sdk = await loadPackage(() => import('@aws-sdk/client-s3'), missingSdk)
  const { endpoint, region, pathStyle } = place
  const client = new sdk.S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    // Services of others have none, and the SDK asks for one.
    ...(region !== undefined ? { region } : endpoint === undefined ? {} : { region: 'us-east-1' }),
    ...(pathStyle === undefined ? {} : { forcePathStyle: pathStyle }),
    maxAttempts: attempts,
    // What services of others refuse that do not know the newer ones.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 10_000,
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

/** What is said where the packages of AWS are not installed. */
export const missingSdk: MissingPackage = {
  message: 'A lake with files in S3 needs packages that are not installed.',
  code: 'storage.package',
  hint: 'Install them where chainlake is: npm install @aws-sdk/client-s3@3 @aws-sdk/lib-storage@3',
}

/** What messages call a place. */
export function placeText(place: S3Place): string {
  return place.endpoint === undefined ? s3AddressText(place) : `${s3AddressText(place)} at ${place.endpoint}`
}
