/** What a range engine reads from: records at coordinates 0, 1, 2, …, such as containers by index; all up to the head are final. */
export type RangeSource<R> = {
  /** Last coordinate that is final; null when there is none yet. */
  head(signal?: AbortSignal): Promise<number | null>
  /** Coordinates to ask for at once; may change as answers grow and shrink. */
  windowSize(): number
  /** Exactly the records of `[from, to)`, in order. */
  window(from: number, to: number, signal?: AbortSignal): Promise<R[]>
  /** What joins a record to the one before it; absent where nothing does. */
  link?(record: R): { readonly id: string; readonly parentId: string | null }
  /** Coordinate of a record. */
  at(record: R): number
  /** Is told of records that nobody looks at any more. */
  release?(records: readonly R[]): void
}
