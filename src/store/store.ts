import type { FileHandle } from 'node:fs/promises'
import type { S3Place } from './s3-place.ts'

/**
 * Where the data files of a lake lie: nothing else knows a folder of theirs. Files are named by their paths relative to the lake, with `/`
 * (see lib/data-file-path.ts). Errors are those of the place, as they come.
 */
export type Store = {
  /** Makes a file that must not be there yet, with what leads to it; a place that is asked late may refuse it with `finish` only. */
  create(path: string): Promise<NewFile>
  /**
   * Paths of the files below `prefix`, which ends with `/`; none where there is no such place. Where files lie in folders, these are
   * among them, with `/` at their ends; where files are sent, what was sent in part is, without a size.
   */
  list(prefix: string): Promise<string[]>
  /** Bytes of each of the files; null for one that is not there. */
  sizes(paths: readonly string[]): Promise<(number | null)[]>
  /** Opens a file for reading. */
  open(path: string): Promise<FileHandle>
  /** Removes a file, or a folder that holds nothing; what is not there, or holds something, is let be. */
  remove(path: string): Promise<void>
  /**
   * Says whose files these are: of which lake, and which run writes now. Where only the lake's folder has them nobody else can.
   *
   * @throws OtherSourceError for those of another lake; CatalogError when a run has written that the lake does not know.
   */
  claim(claim: Claim): Promise<void>
  /** Brings files to where `url` says, from where they are; where DuckDB reads them as they lie, that is nothing to do. */
  readable(paths: readonly string[]): Promise<Held>
  /** Lets go of what is kept here of a file that lies elsewhere: who asks next gets it from there. */
  forget(path: string): Promise<void>
  /** What DuckDB of this process reads a file by while it is held readable. The urls of files begin with that of their prefix. */
  url(path: string): string
  /** What others read a file by: of a folder the same. */
  address(path: string): string
  /** What another thread opens the same store with. */
  readonly place: StorePlace
}

export type Claim = {
  /** Id of the lake. */
  readonly lake: string
  /** The run that begins; null: whatever comes next. */
  readonly run: string | null
  readonly knows: (run: string) => boolean
}

/** Files that stay readable until they are released. */
export type Held = { readonly release: () => Promise<void> }

/** Where a store is; plain data. */
export type StorePlace = FolderPlace | S3Place

export type FolderPlace = {
  readonly kind: 'folder'
  /** Folder of the lake; absolute. */
  readonly lake: string
}

/** A file that is being written. When neither end is reached, the process has died: recovery finds the file by its name. */
export type NewFile = {
  /** Takes the bytes and gives them back. Its descriptor is valid in every thread of this process. */
  readonly handle: FileHandle
  /** Makes the bytes and the name durable, and closes the file. */
  finish(): Promise<void>
  /** Closes the file and removes it. */
  discard(): Promise<void>
}
