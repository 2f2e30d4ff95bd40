import type { FileHandle } from 'node:fs/promises'
import { type ErrorFacts, VerifyError } from '../errors.ts'
import { lostFilesHint } from '../lib/files.ts'
import type { S3Access } from './s3-place.ts'

/**
 * The data files of a lake. Only stores know where the files are. Paths are relative to the lake, with `/` (see data-file-path.ts). Errors
 * are those of the file system or of S3.
 */
export type Store = {
  /** Creates a new file with its folders. A remote store may refuse an existing path only in `finish`. */
  create(path: string): Promise<NewFile>
  /**
   * Paths of the files below `prefix`, which ends with `/`. If the files are in folders, the list includes folders, with `/` at their ends.
   * If files are uploaded, the list includes unfinished uploads, which have no size.
   */
  list(prefix: string): Promise<string[]>
  /** Size in bytes of each file; null if it does not exist. */
  sizes(paths: readonly string[]): Promise<(number | null)[]>
  /** Opens a file for reading. */
  open(path: string): Promise<FileHandle>
  /** Removes a file or an empty folder. Ignores missing paths and folders with contents. */
  remove(path: string): Promise<void>
  /**
   * Records the lake that owns the files and the run that writes now. A folder store does nothing: its files belong to one lake.
   *
   * @throws OtherSourceError when another lake owns the files; CatalogError when a run that the lake does not know has written.
   */
  claim(claim: Claim): Promise<void>
  /** Makes files readable under `url` until the caller releases them, for example by downloading them. */
  hold(paths: readonly string[]): Promise<Held>
  /** Removes a file from the local cache. The next read downloads it again. */
  forget(path: string): Promise<void>
  /** The path under which DuckDB in this process reads a file while it is held. The url of a prefix is a prefix of the urls. */
  url(path: string): string
  /** The address under which other programs read a file. For a folder it equals `url`. */
  address(path: string): string
  /** What a store that other machines reach, too, can do: its files are read through a local cache. Null: they are in the folder of the lake. */
  readonly remote: {
    /** URL of the files, without `/` at its end. */
    readonly url: string
    /** Name in messages. */
    readonly name: string
    /** SQL that lets any DuckDB read the files. */
    readonly accessSql: string
    /** Makes the requests of a run to check the store. Leaves nothing there. Throws what listing throws. */
    readonly probe: () => Promise<{
      /** 0 or 1: whether there are files of a lake. */
      readonly files: number
      readonly mayWrite: true | Error
      /** Also false if the credentials do not allow to read the setting. */
      readonly isVersioned: boolean
      /** Offset between the clocks of the store and of this machine, in milliseconds; 0 if it is small. */
      readonly skewMs: number
    }>
  } | null
  /** Plain data with which another thread can open the same store. */
  readonly place: StorePlace
}

export type Claim = {
  /** Id of the lake. */
  readonly lake: string
  /** The run that begins; null: any next run may write. */
  readonly run: string | null
  readonly knows: (run: string) => boolean
}

/** Files that stay readable, or a lock that is taken, until it is released. `release` may be called more than once. */
export type Held = { readonly release: () => Promise<void> }

/** The location of a store; plain data. `kind` names its entry of `storeKinds`, which may add fields. */
export type StorePlace = {
  readonly kind: string
  /** Folder of the lake; absolute. */
  readonly lake: string
}

/** A kind of store. Code outside src/store/ uses the capabilities of a store and never compares its kind. */
export type StoreKind<P extends StorePlace = any> = {
  /** Opens the store of a place. It does not connect until it is used. */
  readonly open: (place: P) => Store
  /** The place for a lake at an address, with the options of this process. */
  readonly placeAt: (lake: string, address: StoreAddress, given: GivenStorage) => P
  /** What a catalog records besides the address: how to connect, without secrets. */
  readonly settingsOf: (place: P) => StoreAddress['settings']
}

/** A URL of data files, and settings that a catalog records with it. */
export type StoreAddress = {
  /** Without `/` at its end. */
  readonly url: string
  readonly settings: Readonly<Record<string, string>>
}

/** A file that is being written. If the process dies before `finish` or `discard`, recovery finds the file by its name. */
export type NewFile = {
  /** For writing and reading the file. Its descriptor is valid in every thread of this process. */
  readonly handle: FileHandle
  /** Where it is on this machine until it is finished. */
  readonly path: string
  /** Makes the contents and the name durable, and closes the file. */
  finish(): Promise<void>
  /** Closes the file and removes it. */
  discard(): Promise<void>
}

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

export function missingFile(details: ErrorFacts, cause?: unknown): VerifyError {
  return new VerifyError('A file of a table is missing.', {
    code: 'verify.missing',
    details,
    hint: `All other committed data is safe. ${lostFilesHint}`,
    cause,
  })
}
