import type { PageColumn, Picture } from '../data/page-data.ts'
import type { Grain } from './grain.ts'

/** The values that the SQL of a question about one network contains. */
export type Asking = {
  /** The network as a quoted SQL text. */
  readonly network: string
  /** The grain to which times are cut. */
  readonly grain: Grain
}

/** A query of the report, declared once, from its SQL to its picture. */
export type Question<Subject = Asking> = {
  /** Unique; part of addresses within the page. */
  readonly id: string
  readonly title: string
  /** What is counted and what is not, in a sentence or two. */
  readonly says: string
  /** The tables that the query needs; tables of the catalog begin with `catalog.`. */
  readonly needs: readonly string[]
  /** The source of the picture's times: their span decides the grain. Null where no time is cut. */
  readonly time: { readonly from: string; readonly column: string } | null
  /** One SELECT that returns its rows in the order of the picture, at most some thousands. */
  readonly sql: (about: Subject) => string
  /** Every column of the answer, in its order. */
  readonly columns: readonly PageColumn[]
  readonly picture: Picture
}

/** Questions under one heading. */
export type QuestionGroup<Subject = Asking> = {
  readonly id: string
  readonly title: string
  readonly questions: readonly Question<Subject>[]
}
