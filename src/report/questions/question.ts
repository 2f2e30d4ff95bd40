import type { PageColumn, Picture } from '../data/page-data.ts'

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

const hourMs = 3_600_000

/**
 * The grains to which times are cut, from the finest, each with the longest span (milliseconds) that uses it. A picture then has some
 * hundred bars at most.
 */
const grains = [
  ['minute', 3 * hourMs],
  ['hour', 5 * 24 * hourMs],
  ['day', 400 * 24 * hourMs],
  ['week', 2_600 * 24 * hourMs],
  ['month', Number.POSITIVE_INFINITY],
] as const

export type Grain = (typeof grains)[number][0]

/** The grain for a span of this many milliseconds. */
export function grainFor(lengthMs: number): Grain {
  return grains.find(([, mostMs]) => lengthMs <= mostMs)?.[0] ?? 'month'
}

/** SQL that cuts a TIMESTAMPTZ in UTC, whatever the time zone of the session. */
export function cutTime(grain: Grain, column: string): string {
  return `date_trunc('${grain}', ${column} AT TIME ZONE 'UTC')`
}

/** Decimal places of amounts in nAVAX, on the P-Chain and the X-Chain. */
const nano = 9
/** Decimal places of amounts in wei, on EVM chains. */
const atto = 18

export const text = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'text' } })
export const time = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'time' } })
export const count = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'whole' } })
export const bytes = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'whole', unit: 'bytes' },
})
export const seconds = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'number', unit: 's' },
})
export const decimal = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'number' } })
/** An amount in nAVAX. */
export const nanos = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'whole', decimals: nano, unit: 'tokens' },
})
/** An amount in wei. */
export const weis = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'whole', decimals: atto, unit: 'tokens' },
})
