import { join } from 'node:path'
import type { CacheLimits, S3Place } from '../../src/store/s3-place.ts'
import type { S3Server } from './s3-server.ts'

/** A location in the bucket of a server, with its cache in the folder of the lake. */
export function s3PlaceAt({ url }: S3Server, lake: string, prefix: string, limits: Partial<CacheLimits> = {}): S3Place {
  const cache = { folder: join(lake, '.cache'), bytes: 2e9, maxDownload: 10e9, ...limits }
  return { kind: 's3', lake, bucket: 'lake', prefix, endpoint: url, pathStyle: true, cache }
}
