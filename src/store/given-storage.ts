import type { S3Access } from './s3-place.ts'

/** Storage options for a lake. They complement what the lake itself records. */
export type GivenStorage = S3Access & {
  /** URL of the PostgreSQL database of the catalog; default: the URL that the folder of the lake records. It may contain a password. */
  readonly catalog?: string
  /** URL of the data files of a new lake. An existing lake must have its data files there. */
  readonly data?: string
  /** The same for data files in the folder of the lake; only with a catalog in PostgreSQL. */
  readonly dataFolder?: string
  /** Folder for downloaded files; absolute. */
  readonly cache?: string
  /** Maximum size of the cache in bytes. */
  readonly cacheBytes?: number
  /** Maximum number of bytes that one query, or one merge, may download. */
  readonly maxDownload?: number
}
