import { DefinitionError } from '../errors.ts'
import { definedOf } from '../lib/arrays.ts'

/**
 * Parameters of a job: keys of chainlake.yaml and flags of the command line, both with the same kebab-case name. Their rules are data. The
 * JSON Schema of the configuration, the flags and the documentation derive from them.
 */
export type Parameter<V = any> = {
  readonly kind: 'text' | 'whole' | 'boolean' | 'list' | 'time' | 'abi' | 'bound' | 'range'
  readonly comment: string
  readonly required: boolean
  /** The only values that a text or an item of a list may have. */
  readonly choices: readonly string[] | null
  /** The regular expression that a text or an item of a list must match, and its description in errors. */
  readonly pattern: { readonly source: string; readonly says: string } | null
  /** Bounds of a whole number, both inclusive; `least` also for a bound of a range. */
  readonly least: number
  readonly most: number
  /** Why a bound, or those of a range, cannot be times: a clause; null if they can. */
  readonly timeless: string | null
  /** A SELECT on the views of the lake. Its first column is the default of a list. Null: the list has no default. */
  readonly query: string | null
  /** What is read from the file of an ABI. */
  readonly abiItems: 'events' | 'functions'
  /** How a command may give it, such as `mainnet` or `@addresses.txt`, for the examples of its pipelines; null: examples leave it out. */
  readonly example: string | null
  /** Never set: it only carries the type of the value. */
  readonly value?: V
}

/**
 * A bound of a range. A number is a coordinate; a negative one counts from the end of the source: the last 1,000 begin at −1000. A text is
 * a date or a time, such as `2026-01-31` or `2026-01-31T12:00:00Z`: the first record with a known time at or after it. A date is its first
 * moment, and a time without a zone is UTC.
 */
export type Bound = number | string

/** Bounds of a range: `from` is inclusive, `to` is exclusive. */
type GivenRange = { readonly from?: Bound; readonly to?: Bound }

/** The parameters of a pipeline by name. */
export type Parameters = { readonly [name: string]: Parameter }

/** The values of parameters. The value of an optional one may be undefined. */
export type ValuesOf<P extends Parameters> = { readonly [K in keyof P]: P[K] extends Parameter<infer V> ? V : never }

const noRules = {
  choices: null,
  pattern: null,
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
  timeless: null,
  query: null,
  abiItems: 'events',
  example: null,
} as const

type Rules = { readonly [K in keyof typeof noRules]?: NonNullable<Parameter[K]> }

function declare(kind: Parameter['kind'], comment: string, required: boolean, rules: Rules): Parameter {
  if (comment.trim() === '') throw new DefinitionError('A parameter needs a comment.')
  // Modules need not be type-checked: what is undefined is left out.
  return { ...noRules, ...definedOf(rules), kind, comment, required }
}

type Declare<V> = {
  (comment: string, rules?: Rules): Parameter<V | undefined>
  readonly required: (comment: string, rules?: Rules) => Parameter<V>
}

function declaration<V>(kind: Parameter['kind']): Declare<V> {
  return Object.assign((comment: string, rules: Rules = {}) => declare(kind, comment, false, rules), {
    required: (comment: string, rules: Rules = {}) => declare(kind, comment, true, rules),
  })
}

/**
 * Kinds of parameters and their values. text: a string; whole: a safe integer; boolean; list: strings without repeats, given inline, from a
 * file or from a query; time: Unix seconds, given as such or as an RFC 3339 time or date; abi: the signatures of the events or functions (`abiItems`) of an ABI file; bound: a whole number, also given as
 * 1_000_000 or 12M, and negative if it counts from the end of the source, or a date or time as text; range: two bounds, given as A:B. If a list with its own `query` is omitted, the
 * result of the query is its value (a new lake gives an empty list). The caller must give the value of `p.text.required(…)`.
 */
export const p = {
  text: declaration<string>('text'),
  whole: declaration<number>('whole'),
  boolean: declaration<boolean>('boolean'),
  list: declaration<readonly string[]>('list'),
  time: declaration<number>('time'),
  abi: declaration<readonly string[]>('abi'),
  bound: declaration<Bound>('bound'),
  range: declaration<GivenRange>('range'),
}
