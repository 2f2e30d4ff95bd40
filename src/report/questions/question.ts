import type { PageColumn, Picture } from '../data/page-data.ts'
import type { Grain } from './grain.ts'

/** What a question of one network is put together from. */
export type Asking = {
  /** The network as a text of SQL, quoted. */
  readonly network: string
  /** What times are cut to. */
  readonly grain: Grain
}

/** Something that a report asks the lake: declared once, from its SQL to its picture. */
export type Question<Subject = Asking> = {
  /** Unique; part of addresses within the page. */
  readonly id: string
  readonly title: string
  /** What is counted and what is not, in a sentence or two. */
  readonly says: string
  /** Tables without which there is nothing to ask; those of the catalog begin with `catalog.`. */
  readonly needs: readonly string[]
  /** Where the times of the picture come from: how long they reach decides the grain. Null where no time is cut. */
  readonly time: { readonly from: string; readonly column: string } | null
  /** One SELECT, its rows in the order of the picture, at most some thousands. */
  readonly sql: (about: Subject) => string
  /** Every column of the answer, in its order. */
  readonly columns: readonly PageColumn[]
  readonly picture: Picture
}

/** Questions that stand under one heading. */
export type QuestionGroup<Subject = Asking> = {
  readonly id: string
  readonly title: string
  readonly questions: readonly Question<Subject>[]
}
