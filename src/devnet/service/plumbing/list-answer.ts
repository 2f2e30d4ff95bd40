/** Rows of a list in its order, read where a page needs them. */
export type Rows = {
  readonly count: number
  readonly at: (index: number) => object | Promise<object>
  /** JSON text of a row, where that is made faster than the row itself; it says what `at` says. */
  readonly text?: (index: number) => string
  /**
   * JSON texts of the rows `[from, to)`, commas between them, in pieces: of long lists that are read again and again. They say
   * what `at` says.
   */
  readonly texts?: (from: number, to: number) => readonly Buffer[]
}

/** A whole list; the plumbing cuts the page. */
export type ListAnswer = {
  /** Name of the field that holds the items. */
  readonly items: string
  /** Every row of the list, in the requested order. */
  readonly rows: Rows | readonly object[]
  /** Further fields of the answer, such as `chainInfo`. */
  readonly extra?: object
  /** A page ends early once the weights of its rows reach `most`, as the real service does with many UTXOs. */
  readonly cut?: { readonly weigh: (index: number) => number; readonly most: number }
  /** Whether later pages show the answer of the first request, for lists with rows that may disappear. Default false. */
  readonly pinned?: boolean
}
