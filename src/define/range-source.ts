/**
 * The link from a record to the one before it: its own id and the id of its parent. `parentId` is null where the record names no parent.
 */
export type RecordLink = { readonly id: string; readonly parentId: string | null }

/**
 * The time of a record in microseconds since 1970 UTC, as the chain has it. `unknown`: the source has the record, and nothing says its
 * time; `missing`: the source does not have the record.
 */
export type RecordTime = bigint | 'unknown' | 'missing'

/** Reads records in windows. */
export type WindowSource<R> = {
  /** Number of coordinates to request at once. It may change as answers grow and shrink. */
  windowSize(): number
  /**
   * Exactly the records of `[from, to)`, in order. Throws `windowTooLarge` when the caller must request shorter windows. `turn` is
   * fulfilled when the caller has read all earlier windows. Until then a source that receives its records bit by bit holds only a few of
   * them.
   */
  window(from: number, to: number, signal?: AbortSignal, turn?: Promise<void>): Promise<R[]>
  /** The caller passes the records that it no longer uses. */
  release?(records: readonly R[]): void
  /** What the sources of several streams have in common, so that one request serves them; the same object in each of them. */
  readonly shared?: SharedRequests<R>
}

/**
 * Records at coordinates 0, 1, 2, …: heights, or what else counts them. Each coordinate may have no record, one or several. All records up to
 * the head are final. The adapter sends the requests and checks the answers.
 */
export type RangeSource<R> = WindowSource<R> & {
  /** The last final coordinate; null when there is none yet. */
  head(signal?: AbortSignal): Promise<number | null>
  /** Which head this is: sources of one endpoint with the same text have the same head, so that a plan requests it once. */
  readonly headOf?: string
  /** After a head: what a user should know about it, such as that it stands still; null where there is nothing to say. */
  remark?(): string | null
  /** After a head of null: one sentence that explains it; null when there is nothing to report. */
  whyEmpty?(): string | null
  /**
   * The first coordinate that the source has, with a sentence for the log if earlier ones are missing. A source that has all coordinates
   * from 0 on does not implement it. The run calls it after it has read a head or a window.
   */
  begins?(): { readonly at: number; readonly notice: string | null }
  /** Coordinates per request, where a window takes several requests. Default: one request per window. */
  readonly perRequest?: number
  /**
   * The times of the coordinates `[from, to)`, one for each, so that bounds may be times: they never decrease, or only by seconds. Not
   * implemented where the chain gives records no times. It does not wait for a record that is missing: the run asks for it again.
   */
  times?(from: number, to: number, signal?: AbortSignal): Promise<readonly RecordTime[]>
  /** One record by itself, where the source has a request for it. */
  one?(at: number, signal?: AbortSignal): Promise<R>
  /** The link of a record. Not implemented where records have no link. */
  link?(record: R): RecordLink
  /** Coordinate of a record. */
  at(record: R): number
  /** Size of a record in bytes, for the progress display. */
  bytes?(record: R): number
}

/** Sources with the same head that may request windows together. */
export type SharedRequests<R> = {
  /** Sources for streams that are missing the same slice, in the order of `sources`. A window of one is a window of all. */
  together(sources: readonly WindowSource<R>[]): readonly WindowSource<R>[]
}
