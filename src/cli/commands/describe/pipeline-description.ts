import type { Parameter, Pipeline, Tables } from '../../../define/index.ts'
import { textTable } from '../../terminal/format.ts'

export type ParameterDescription = {
  readonly name: string
  readonly kind: Parameter['kind']
  readonly required: boolean
  /** The rule that values must keep, for people; empty without one. */
  readonly rule: string
  readonly comment: string
}

export type PipelineDescription = {
  readonly name: string
  readonly kind: 'pipeline'
  readonly comment: string
  /** How the source is traversed. */
  readonly walk: string
  readonly parameters: readonly ParameterDescription[]
  readonly tables: readonly { readonly name: string; readonly comment: string; readonly option?: string }[]
}

export function describePipeline({
  name,
  comment,
  parameters,
  walks,
  tables,
  optional,
}: Pipeline): PipelineDescription {
  return {
    name,
    kind: 'pipeline',
    comment,
    walk: walks.map((walk) => walkWords[walk]).join('; or '),
    parameters: Object.entries<Parameter>(parameters).map(([parameter, declared]) => ({
      name: parameter,
      kind: declared.kind,
      required: declared.required,
      rule: ruleOf(declared),
      comment: declared.comment,
    })),
    tables: [
      ...tableFacts(tables),
      ...Object.entries(optional).flatMap(([option, more]) => tableFacts(more).map((table) => ({ ...table, option }))),
    ],
  }
}

/** A pipeline for people. */
export function pipelineText({ name, comment, walk, parameters, tables }: PipelineDescription): string {
  const rows = parameters.map((one) => [
    `--${one.name}`,
    one.required ? `${one.kind}, required` : one.kind,
    one.comment,
    one.rule,
  ])
  const lists = parameters.some(({ kind }) => kind === 'list')
  return [
    `${name} (pipeline): ${comment}`,
    `walk: ${walk}`,
    '',
    textTable(['parameter', 'kind', 'meaning', 'rule'], rows),
    ...(lists
      ? [
          '',
          'A list is a,b,c or @FILE or query:SQL as a flag; [a, b], { file: PATH } or { query: SQL } in chainlake.yaml.',
        ]
      : []),
    '',
    textTable(
      ['table', 'a row is'],
      tables.map((table) => [
        table.name,
        table.option === undefined ? table.comment : `${table.comment} With --${table.option}.`,
      ]),
    ),
  ].join('\n')
}

const walkWords = {
  range: 'range: records from the first to the last one that is final, in their order',
  pageChain: 'pageChain: a list, newest first, closed down to what is known and read on to its end',
  oldestFirst: 'oldestFirst: a list, oldest first, from its beginning to its end and on from there',
  blockWindow: 'blockWindow: ranges of blocks up to the head',
  timeWindow: 'timeWindow: ranges of time',
  heightRange: 'heightRange: one list for each height',
  scan: 'scan: everything anew in each run, as an observation; versions of what changed',
  snapshot: 'snapshot: one observation a run',
  series: 'series: points from the newest down to the last known one',
  keyed: 'keyed: one question for each key that has no answer yet',
} as const

function tableFacts(tables: Tables): { name: string; comment: string }[] {
  return Object.values(tables).map(({ name, comment }) => ({ name, comment }))
}

function ruleOf({ kind, choices, pattern, least, most }: Parameter): string {
  if (choices !== null) return `one of ${choices.join(', ')}`
  if (pattern !== null) return `${kind === 'list' ? 'each ' : ''}${pattern.says}`
  if (kind === 'time') return 'Unix seconds, a date or an RFC 3339 time'
  if (kind !== 'whole') return ''
  return most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
}
