/** What a report's page is made from: everything that it shows, as JSON. Shared with the script of the page. */

/** A value of an answer: whole numbers beyond 2^53, decimals and times are text, see `Cell` of the views. */
export type PageCell = null | boolean | number | string

/** How the values of a column are to be read. */
export type PageColumn = {
  /** As the SQL names it. */
  readonly name: string
  /** As the page heads it. */
  readonly title: string
  readonly kind:
    | { readonly as: 'text' }
    /** A time in UTC, as text without a zone or with `Z`. */
    | { readonly as: 'time' }
    /** A whole number of any size; `decimals` places of it stand behind the point. */
    | { readonly as: 'whole'; readonly decimals?: number; readonly unit?: string }
    /** A number that was rounded before. */
    | { readonly as: 'number'; readonly unit?: string }
}

/** How rows become a picture; columns by name. */
export type Picture =
  /** Horizontal bars, the first rows on top. */
  | { readonly kind: 'bars'; readonly label: string; readonly value: string; readonly parts?: string }
  /** Bars over time, on top of each other where there is a series; a picture for each value. */
  | {
      readonly kind: 'times'
      readonly time: string
      readonly values: readonly string[]
      readonly series?: string
    }
  /** Points over time; a picture for each value. */
  | { readonly kind: 'points'; readonly time: string; readonly values: readonly string[] }
  /** Lines over time, one for each of a series. */
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
  /** Why there are no rows, where the lake could not be asked. */
  readonly failure: string | null
}

export type PageSection = {
  readonly id: string
  readonly title: string
  readonly answers: readonly PageAnswer[]
}

/** A part of a scale that is covered. */
export type PageSlice = readonly [from: number, to: number]

/** A stream, or tables of it that are covered alike, or many streams of one kind. */
export type PageStream = {
  /** As in `chainlake status`. */
  readonly stream: string
  /** What of it; null: all. */
  readonly part: string | null
  /** How many streams the row is about. */
  readonly count: number
  readonly complete: number
  readonly rows: number
  readonly bytes: number
  /** When its head was last reached, in milliseconds since 1970; null: never, or not known. */
  readonly reachedMs: number | null
  /** For people, such as `0 to 2,000`. */
  readonly holds: string
  /** Of ranges; null of what is read otherwise. */
  readonly range: { readonly from: number; readonly to: number; readonly slices: readonly PageSlice[] } | null
  /** Why it is not complete; null when it is. */
  readonly lacks: string | null
}

export type PageGap = {
  readonly stream: string
  readonly tables: readonly string[]
  readonly from: string
  readonly to: string
  readonly missing: string
  readonly command: string
}

/** One of the questions that the first lines answer. */
export type PageVerdict = {
  readonly ask: string
  readonly answer: string
  readonly why: string
  readonly mood: 'good' | 'bad' | 'plain'
}

export type PageFact = {
  readonly title: string
  /** Exact. */
  readonly value: string
  readonly says: string
  /** A time that belongs to it, in milliseconds since 1970. */
  readonly timeMs?: number | undefined
}

export type PageData = {
  readonly lake: string
  readonly version: string
  readonly madeMs: number
  /** Null of a lake that nothing was published of. */
  readonly snapshot: { readonly views: number | null; readonly catalog: number } | null
  readonly verdicts: readonly PageVerdict[]
  readonly facts: readonly PageFact[]
  readonly streams: readonly PageStream[]
  readonly gaps: readonly PageGap[]
  /** Gaps that are not listed. */
  readonly moreGaps: number
  readonly sections: readonly PageSection[]
  /** What somebody does who has no data yet. Empty otherwise. */
  readonly beginning: readonly { readonly says: string; readonly command: string }[]
  /** What has to be run before the SQL of pictures. */
  readonly preparation: string
}
