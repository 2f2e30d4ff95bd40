import type { S3Access, S3Address } from './s3-place.ts'

/** What is said of where the catalog and the files of a lake are, beside what the lake records of it. */
export type GivenStorage = S3Access & {
  /** URL of the PostgreSQL database that keeps the catalog; absent: as the folder of the lake has it. It may hold a password. */
  readonly catalog?: string
  /** Where the files of a new lake go; a lake that is there must have them there. */
  readonly data?: S3Address
  /** The same of files in a folder, which is the lake's; only beside a catalog in PostgreSQL. */
  readonly dataFolder?: string
  /** Folder for files that were fetched; absolute. */
  readonly cache?: string
  /** Bytes that these may take. */
  readonly cacheBytes?: number
  /** Bytes that one question, or one merge, may fetch. */
  readonly maxDownload?: number
}

const given = new Map<string, GivenStorage>()

/**
 * Tells this process how a lake is stored; `lake` is its absolute folder. Whoever opens the lake, in whatever part of the
 * program, asks here, so that it is said once.
 */
export function giveStorage(lake: string, storage: GivenStorage): void {
  given.set(lake, storage)
}

export function givenStorage(lake: string): GivenStorage {
  return given.get(lake) ?? {}
}
