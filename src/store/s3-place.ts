import { ConfigError } from '../errors.ts'

/** Location of the data files of a lake in S3, how to connect to it, and the limits of the local cache. Plain data without secrets. */
export type S3Place = S3Address &
  S3Access & {
    readonly kind: 's3'
    /** Folder of the lake, with its catalog; absolute. New files are staged there before the upload. */
    readonly lake: string
    readonly cache: CacheLimits
  }

type S3Address = {
  readonly bucket: string
  /** Prefix of all keys of the lake; empty, or without `/` at its ends. */
  readonly prefix: string
}

/** Connection settings that the lake records. Defaults come from the AWS settings of the machine. */
export type S3Access = {
  /** URL of an S3-compatible service other than AWS. */
  readonly endpoint?: string
  readonly region?: string
  /** Use `http://host/bucket/key` instead of `http://bucket.host/key`. */
  readonly pathStyle?: boolean
}

export type CacheLimits = {
  /** Absolute. */
  readonly folder: string
  /** Maximum size of the cache in bytes, between uses. */
  readonly bytes: number
  /** Maximum number of bytes that one query, or one merge, may download. */
  readonly maxDownload: number
}

const addressForm = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/

/**
 * Parses `s3://bucket/prefix`. `source` is the name of the flag, variable or key for errors.
 *
 * @throws ConfigError `config.data`.
 */
export function parseS3Address(source: string, text: string): S3Address {
  const [, bucket, rest = ''] = addressForm.exec(text) ?? []
  const prefix = rest.replace(/\/$/, '')
  const parts = prefix === '' ? [] : prefix.split('/')
  // Other characters have a special meaning in URLs, globs or SQL.
  if (bucket !== undefined && parts.every((part) => /^[\w.=+@-]+$/.test(part) && !/^\.+$/.test(part)))
    return { bucket, prefix }
  throw new ConfigError(`${source} must be s3://bucket/prefix, not ${JSON.stringify(text)}.`, {
    code: 'config.data',
    hint: 'A bucket name consists of lower-case letters, digits, dots and hyphens. A prefix consists of letters, digits and _ . = + @ - between slashes.',
  })
}

export function s3AddressText({ bucket, prefix }: S3Address): string {
  return prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`
}

/** SQL with which any DuckDB reads the files with the credentials of its machine. */
export function accessSql({ endpoint, region, pathStyle }: S3Access): string {
  const options = [
    ...(region === undefined ? [] : [`REGION '${region}'`]),
    ...(endpoint === undefined ? [] : [`ENDPOINT '${endpoint.replace(/^https?:\/\//, '')}'`]),
    ...(endpoint?.startsWith('http://') === true ? ['USE_SSL false'] : []),
    ...(pathStyle === true ? ["URL_STYLE 'path'"] : []),
  ]
  const at = options.map((option) => `, ${option}`).join('')
  return `INSTALL httpfs; LOAD httpfs; CREATE SECRET (TYPE s3, PROVIDER credential_chain${at})`
}

/** The key of a file, by its path relative to the lake. */
export function keyOf({ prefix }: S3Address, path: string): string {
  return prefix === '' ? path : `${prefix}/${path}`
}
