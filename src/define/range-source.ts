/** What joins a record to the one before it: its own id, and the one that it names as its parent's; null where it names none. */
export type RecordLink = { readonly id: string; readonly parentId: string | null }

/**
 * Records at coordinates 0, 1, 2, …, of which there may be one at each, or few, or several; all up to the head are final. An adapter: it
 * owns requests and their checks.
 */
export type RangeSource<R> = {
  /** Last coordinate that is final; null when there is none yet. */
  head(signal?: AbortSignal): Promise<number | null>
  /** After a head of null: a sentence that says what it means; null when it is nothing to tell. */
  whyEmpty?(): string | null
  /** After a head, or a window: where the source begins and what that means, as a sentence; null, or absent, when it has all from 0 on. */
  begins?(): { readonly at: number; readonly notice: string } | null
  /**
   * The id of the record that an earlier version took for the one at a coordinate; null where it took the same one. Asked when a lake
   * does not have what the source says, to explain that.
   */
  formerlyAt?(at: number, signal?: AbortSignal): Promise<string | null>
  /** Coordinates to ask for at once; may change as answers grow and shrink. */
  windowSize(): number
  /** Coordinates that one request asks for, where a window takes several; absent: a window is a request. */
  readonly perRequest?: number
  /**
   * Exactly the records of `[from, to)`, in order. Throws `windowTooLarge` when shorter windows must be asked for instead. `turn` is
   * fulfilled when all windows before have been read: a source that is given its records bit by bit holds few until then.
   */
  window(from: number, to: number, signal?: AbortSignal, turn?: Promise<void>): Promise<R[]>
  /** One record by itself, where there is a question for that. */
  one?(at: number, signal?: AbortSignal): Promise<R>
  /** What joins records; absent where nothing does. */
  link?(record: R): RecordLink
  /** Coordinate of a record. */
  at(record: R): number
  /** Bytes of a record, for the progress that people are shown. */
  bytes?(record: R): number
  /** Called with records that are no longer in use. */
  release?(records: readonly R[]): void
}
