import type { Parameter, Pipeline, Tables } from '../../define/index.ts'
import { fittedTable, textTable, wrapped } from '../terminal/tables.ts'

type ParameterDescription = {
  readonly name: string
  readonly kind: Parameter['kind']
  readonly required: boolean
  /** The rule for values, for people; empty for none. */
  readonly rule: string
  readonly comment: string
}

export type PipelineDescription = {
  readonly name: string
  readonly kind: 'pipeline'
  readonly comment: string
  /** How the pipeline reads its source. */
  readonly walk: string
  readonly parameters: readonly ParameterDescription[]
  /** Parameters of other pipelines that this one cannot have. */
  readonly refused: readonly { readonly name: string; readonly why: string; readonly instead: string }[]
  readonly tables: readonly { readonly name: string; readonly comment: string; readonly option?: string }[]
}

export function describePipeline({
  name,
  comment,
  parameters,
  walks,
  tables,
  optional,
  refused,
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
    refused: Object.entries(refused).map(([parameter, reason]) => ({ name: parameter, ...reason })),
    tables: [
      ...tableFacts(tables),
      ...Object.entries(optional).flatMap(([option, more]) => tableFacts(more).map((table) => ({ ...table, option }))),
    ],
  }
}

/** A pipeline for people, in lines of `width` columns of a terminal; undefined, as without a terminal, breaks nothing. */
export function pipelineText(
  { name, comment, walk, parameters, refused, tables }: PipelineDescription,
  width?: number | undefined,
): string {
  const broken = (text: string): string => (width ? wrapped(text, width).join('\n') : text)
  const lists = parameters.some(({ kind }) => kind === 'list')
  return [
    broken(`${name} (pipeline): ${comment}`),
    broken(`walk: ${walk}`),
    '',
    parametersText(parameters, width),
    ...(lists
      ? [
          '',
          broken(
            'Write a list as a,b,c, @FILE or query:SQL in a flag, and as [a, b], { file: PATH } or { query: SQL } in chainlake.yaml.',
          ),
        ]
      : []),
    ...(parameters.some(({ rule }) => rule.endsWith(times))
      ? ['', ...timeRules.map((rule) => (width ? hanging(rule, width) : rule))]
      : []),
    ...refused.map(({ name, why, instead }) => `\n${broken(`--${name} is refused. ${why} ${instead}`)}`),
    '',
    tables.length === 0 ? 'The values of a job decide which tables it fills.' : tablesText(tables, width),
  ].join('\n')
}

/** Further lines of an indented text are indented more. */
function hanging(text: string, width: number): string {
  const indent = /^ */.exec(text)![0]
  const [first = '', ...more] = wrapped(text, width - indent.length - 2)
  return [`${indent}${first}`, ...more.map((line) => `${indent}  ${line}`)].join('\n')
}

/** In a terminal the rule of a parameter follows its meaning, so that one column can be broken. */
function parametersText(parameters: PipelineDescription['parameters'], width: number | undefined): string {
  const rows = parameters.map(({ name, kind, required, comment, rule }) => ({
    first: [`--${name}`, required ? `${kind}, required` : kind],
    comment,
    rule,
  }))
  if (!width)
    return textTable(
      ['parameter', 'kind', 'meaning', 'rule'],
      rows.map(({ first, comment, rule }) => [...first, comment, rule]),
    )
  return fittedTable(
    ['parameter', 'kind', 'meaning'],
    rows.map(({ first, comment, rule }) => [...first, rule === '' ? comment : `${comment} Rule: ${rule}.`]),
    width,
  )
}

const times = 'a date or a time'

/** How bounds that are times lead to records, for people. */
export const timeRules = [
  'Times as bounds (2026-01-31, 2026-01-31T12:00:00Z, 2026-01-31T12:00:00+02:00):',
  '  A date is its first moment. A time without a zone is UTC.',
  '  A time means the first block at or after it, as from and as to, so that ranges that meet at a time neither overlap nor leave a gap.',
  '  Each run finds the block again by binary search, about 25 requests, and names it; plan does the same.',
  '  A block without a known time (P-Chain before Banff) counts as the nearest one before it with a known time, or the first one after it if there is none before.',
  '  A block that the node does not have, such as a pruned one, counts as earlier.',
  '  After the newest block: from reads nothing yet, and to ends at the newest block. With --follow the run continues until that time.',
]

function tablesText(tables: PipelineDescription['tables'], width: number | undefined): string {
  return fittedTable(
    ['table', 'description'],
    tables.map(({ name, comment, option }) => [name, option === undefined ? comment : `${comment} With --${option}.`]),
    width,
  )
}

const walkWords = {
  range: 'range: all final records in order, from the first to the last',
  pageChain: 'pageChain: a list, newest item first, down to the items that the lake holds, then on to its end',
  oldestFirst: 'oldestFirst: a list, oldest item first; the next run resumes at its end',
  blockWindow: 'blockWindow: ranges of blocks up to the head',
  timeWindow: 'timeWindow: ranges of time up to now',
  heightRange: 'heightRange: one list per block height',
  scan: 'scan: the whole list in each run, as an observation; a new version is stored only for changed items',
  snapshot: 'snapshot: one observation per run',
  series: 'series: points from the newest down to the last stored one',
  keyed: 'keyed: one request per key without an answer in the lake',
} as const

function tableFacts(tables: Tables): { name: string; comment: string }[] {
  return Object.values(tables).map(({ name, comment }) => ({ name, comment }))
}

function ruleOf({ kind, choices, pattern, least, most, timeless }: Parameter): string {
  if (choices !== null) return `one of ${choices.join(', ')}`
  if (pattern !== null) return `${kind === 'list' ? 'each ' : ''}${pattern.says}`
  if (kind === 'abi') return 'the path of a JSON file'
  if (kind === 'time') return 'Unix seconds, a date or an RFC 3339 time'
  if (kind === 'bound')
    return `from ${least}, such as 1_000_000 or 12M; -1000 is 1,000 before the end${timeless === null ? `; ${times}` : ''}`
  if (kind === 'range')
    return 'A is inclusive, B exclusive, both such as 12M or -1000; A: goes to the end, :B begins at the first'
  if (kind !== 'whole') return ''
  return most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
}

/** Documents and help group pipelines by their source and by how they read it. */
export const pipelineGroups: readonly { readonly title: string; readonly has: (pipeline: Pipeline) => boolean }[] = [
  { title: 'blocks of a node, in order', has: ({ reads, walks }) => reads === 'node' && walks.includes('range') },
  { title: 'the present state of a node', has: ({ reads, walks }) => reads === 'node' && !walks.includes('range') },
  { title: 'lists of the REST service', has: ({ reads }) => reads === 'service' },
  { title: 'lists of other services', has: ({ reads }) => typeof reads === 'object' },
]
