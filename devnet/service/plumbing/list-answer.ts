/** Rows of a list in the requested order. A row is computed only when a page needs it. */
export type Rows = {
  readonly count: number
  readonly at: (index: number) => object | Promise<object>
  /** JSON text of a row, if it can be created faster than the row itself. It has the same content as `at`. */
  readonly text?: (index: number) => string
  /**
   * JSON texts of the rows `[from, to)`, separated by commas, in pieces, for long lists that are read repeatedly. They have the same
   * content as `at`.
   */
  readonly texts?: (from: number, to: number) => readonly Buffer[]
}

/** A whole list, from which the plumbing cuts the page. */
export type ListAnswer = {
  /** Name of the field that holds the items. */
  readonly items: string
  /** Every row of the list, in the requested order. */
  readonly rows: Rows | readonly object[]
  /** Additional fields of the response, such as `chainInfo`. */
  readonly extra?: object
  /** A page ends early when the weights of its rows reach `most`, as in the real service with many UTXOs. */
  readonly cut?: { readonly weigh: (index: number) => number; readonly most: number }
  /** Whether later pages show the list as it was at the first request, for lists with rows that may disappear. Default false. */
  readonly pinned?: boolean
}
