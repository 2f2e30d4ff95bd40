/** Everything that a report's page shows, as JSON. The script of the page shares these types. */

/** A value of an answer. Whole numbers beyond 2^53, decimals and times are text; see `Cell` of the views. */
export type PageCell = null | boolean | number | string

/** How to read the values of a column. */
export type PageColumn = {
  /** Its name in the SQL. */
  readonly name: string
  /** Its heading on the page. */
  readonly title: string
  readonly kind:
    | { readonly as: 'text' }
    /** A time in UTC, as text without a zone or with `Z`. */
    | { readonly as: 'time' }
    /** A whole number of any size; its last `decimals` digits are decimal places. */
    | { readonly as: 'whole'; readonly decimals?: number; readonly unit?: string }
    /** A number that is already rounded. */
    | { readonly as: 'number'; readonly unit?: string }
}

/** How rows become a picture; columns by name. */
export type Picture =
  /** Horizontal bars, the first rows on top. */
  | { readonly kind: 'bars'; readonly label: string; readonly value: string; readonly parts?: string }
  /** Bars over time, stacked where there is a series; one picture for each value. */
  | {
      readonly kind: 'times'
      readonly time: string
      readonly values: readonly string[]
      readonly series?: string
      /** The name in the series that stands for all others; it is grey. */
      readonly rest?: string
      /** The name in the series for which the bars point down from zero. */
      readonly below?: string
    }
  /** Points over time; one picture for each value. */
  | { readonly kind: 'points'; readonly time: string; readonly values: readonly string[] }
  /** Lines over time, one for each name in the series. */
  | { readonly kind: 'lines'; readonly time: string; readonly value: string; readonly series: string }
  /** Bars side by side in the order of the rows. */
  | { readonly kind: 'columns'; readonly label: string; readonly value: string }
  /** The table alone. */
  | { readonly kind: 'list' }

export type PageAnswer = {
  readonly id: string
  readonly title: string
  readonly says: string
  readonly sql: string
  /** `minute`, `hour`, …; null where no time is cut. */
  readonly grain: string | null
  readonly columns: readonly PageColumn[]
  readonly picture: Picture
  readonly rows: readonly (readonly PageCell[])[]
  /** Why there are no rows, if the query failed. */
  readonly failure: string | null
}

export type PageSection = {
  readonly id: string
  readonly title: string
  readonly answers: readonly PageAnswer[]
}

/** The covered part of a scale. */
export type PageSlice = readonly [from: number, to: number]

/** A stream, or tables of it with the same coverage, or many streams of one kind. */
export type PageStream = {
  /** Its name in `chainlake status`, up to its parameters. */
  readonly stream: string
  /** Its parameters in `chainlake status`; empty for a stream without any. */
  readonly parameters: string
  /** The tables that the row is about; null: all tables of the stream. */
  readonly part: string | null
  /** Number of streams that the row is about. */
  readonly count: number
  readonly complete: number
  readonly rows: number
  readonly bytes: number
  /** The time at which it last reached its head, in milliseconds since 1970; null: never, or not known. */
  readonly reachedMs: number | null
  /** The coverage as text for people, such as `0 to 2,000`. */
  readonly holds: string
  /** The range and its covered slices; null for streams without ranges. */
  readonly range: { readonly from: number; readonly to: number; readonly slices: readonly PageSlice[] } | null
  /** Why it is not complete; null when it is. */
  readonly incomplete: string | null
}

export type PageGap = {
  readonly stream: string
  readonly tables: readonly string[]
  readonly from: string
  readonly to: string
  readonly missing: string
  readonly command: string
}

/** One of the questions that the first lines of the page answer. */
export type PageVerdict = {
  readonly ask: string
  readonly answer: string
  readonly why: string
  readonly mood: 'good' | 'bad' | 'plain'
}

/** Something to act on, with the command to run. */
export type PageProblem = {
  readonly title: string
  readonly says: string
  readonly command: string
}

export type PageFact = {
  readonly title: string
  /** The value as text. */
  readonly value: string
  readonly says: string
  /** A time that belongs to it, in milliseconds since 1970. */
  readonly timeMs?: number | undefined
}

export type PageData = {
  /** The name of the lake: that of its folder. */
  readonly name: string
  /** The path of its folder. */
  readonly lake: string
  readonly version: string
  readonly madeMs: number
  /** Null for a lake without published data. */
  readonly snapshot: { readonly views: number | null; readonly catalog: number } | null
  readonly verdicts: readonly PageVerdict[]
  readonly problems: readonly PageProblem[]
  readonly facts: readonly PageFact[]
  readonly streams: readonly PageStream[]
  readonly gaps: readonly PageGap[]
  /** Number of gaps that are not listed. */
  readonly moreGaps: number
  readonly sections: readonly PageSection[]
  /** The first steps for a lake without data; empty otherwise. */
  readonly beginning: readonly { readonly says: string; readonly command: string }[]
  /** SQL to run before the SQL of the pictures. */
  readonly preparation: string
}
