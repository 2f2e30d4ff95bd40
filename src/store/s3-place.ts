import { ConfigError } from '../errors.ts'

/** Where in S3 the data files of a lake are, how that is reached, and what is kept of them here. Without secrets: plain data. */
export type S3Place = S3Address &
  S3Access & {
    readonly kind: 's3'
    /** Folder of the lake, with its catalog; absolute. New files are written there before they are sent. */
    readonly lake: string
    readonly cache: CacheLimits
  }

export type S3Address = {
  readonly bucket: string
  /** What the keys of the lake begin with; empty, or without `/` at its ends. */
  readonly prefix: string
}

/** What the lake records, so that nobody has to say it again. Absent: as the AWS settings of the machine have it. */
export type S3Access = {
  /** URL of a service that is not AWS. */
  readonly endpoint?: string
  readonly region?: string
  /** `http://host/bucket/key` in place of `http://bucket.host/key`. */
  readonly pathStyle?: boolean
}

export type CacheLimits = {
  /** Absolute. */
  readonly folder: string
  /** What files take there between uses. */
  readonly bytes: number
  /** What one question, or one merge, may fetch. */
  readonly maxDownload: number
}

const addressForm = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/

/**
 * Reads `s3://bucket/prefix`. `source` is what an error names: a flag, a variable or a key.
 *
 * @throws ConfigError `config.data`.
 */
export function parseS3Address(source: string, text: string): S3Address {
  const [, bucket, rest = ''] = addressForm.exec(text) ?? []
  const prefix = rest.replace(/\/$/, '')
  const parts = prefix === '' ? [] : prefix.split('/')
  // Other characters have meanings in addresses, in patterns or in SQL.
  if (bucket !== undefined && parts.every((part) => /^[\w.=+@-]+$/.test(part) && !/^\.+$/.test(part)))
    return { bucket, prefix }
  throw new ConfigError(`${source} must be s3://bucket/prefix, not ${JSON.stringify(text)}.`, {
    code: 'config.data',
    hint: 'Buckets have lower-case letters, digits, dots and hyphens; prefixes letters, digits and _ . = + @ - between slashes.',
  })
}

export function s3AddressText({ bucket, prefix }: S3Address): string {
  return prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`
}

/** The key of a file, by its path relative to the lake. */
export function keyOf({ prefix }: S3Address, path: string): string {
  return prefix === '' ? path : `${prefix}/${path}`
}
