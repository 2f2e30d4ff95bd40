import type { Parameter, Pipeline, Tables } from '../../define/index.ts'
import { groupBy } from '../../lib/arrays.ts'
import { shellText } from '../../lib/text.ts'
import { type Command, flagText } from '../flags/command.ts'
import { listing, notes, section, wrapped } from '../terminal/tables.ts'

type ParameterDescription = {
  readonly name: string
  readonly kind: Parameter['kind']
  readonly required: boolean
  /** The rule for values, for people; empty for none. */
  readonly rule: string
  readonly comment: string
}

type PipelineDescription = {
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

export function describePipeline(pipeline: Pipeline): PipelineDescription {
  const { name, comment, parameters, walks, refused } = pipeline
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
    tables: filledBy(pipeline),
  }
}

/** A job of a pipeline as a command takes it. */
type Asked = {
  /** The name of the pipeline, or of a job of chainlake.yaml. */
  readonly name?: string
  /** The command that would run it. */
  readonly command?: string
  /** With the rules for bounds that are times. */
  readonly withTimes?: boolean
}

/** A pipeline for people: what `chainlake describe` and the help of a job print. */
export function pipelineText(
  pipeline: Pipeline,
  width: number,
  { name = pipeline.name, command = 'run', withTimes = false }: Asked = {},
): string {
  const { comment, walk, parameters, refused, tables } = describePipeline(pipeline)
  const isJob = name !== pipeline.name
  return [
    ...wrapped(`${name}: ${isJob ? `a job of chainlake.yaml, pipeline ${pipeline.name}. ` : ''}${comment}`, width),
    '',
    `chainlake ${command} ${name} [flags]`,
    ...listing('reads', [[sourceText(pipeline), walk]], width),
    ...listing(
      'writes',
      tables.length === 0
        ? [['tables', 'The values of a job decide which tables it fills.']]
        : tables.map((table) => [
            table.name,
            // Some comments name the option themselves.
            table.option === undefined || table.comment.includes(`--${table.option}`)
              ? table.comment
              : `${table.comment} With --${table.option}.`,
          ]),
      width,
    ),
    ...listing(
      'parameters',
      parameters.map(({ name: parameter, kind, required, rule, comment: meaning }) => [
        flagText(parameter, { type: kind === 'boolean' ? 'boolean' : 'string', value: valueWords[kind] }),
        [...(required ? ['Required.'] : []), meaning, ...ruleText(kind, rule)].join(' '),
      ]),
      width,
    ),
    ...notes('values', valueNotes(pipeline), width),
    ...notes('times as bounds', withTimes && takesTimes(pipeline) ? timeRules : [], width),
    ...notes(
      'refused',
      refused.map((each) => `--${each.name}: ${each.why} ${each.instead}`),
      width,
    ),
    ...notes('other flags', [otherFlags(pipeline, command)], width),
    ...section('examples', exampleLines(isJob ? jobExamples(name) : pipelineExamples(pipeline), width)),
  ].join('\n')
}

/** Examples are not broken, so that they can be copied. */
export function exampleLines(examples: Command['examples'], width: number): string[] {
  return examples.flatMap(({ line, says }) => [...wrapped(`# ${says}`, width - 2), line].map((text) => `  ${text}`))
}

const valueWords: Readonly<Record<Parameter['kind'], string | undefined>> = {
  text: undefined,
  whole: 'N',
  boolean: undefined,
  list: 'LIST',
  time: 'TIME',
  abi: 'FILE',
  bound: 'N',
  range: 'A:B',
}

/** What a pipeline reads, such as `a node (--node-url)`. */
export function sourceText({ reads }: Pipeline): string {
  if (reads === 'node') return 'a node (--node-url)'
  return reads === 'service' ? 'the REST service' : `the service ${reads.service}`
}

/** Of a kind with a note the note is the rule. */
function ruleText(kind: Parameter['kind'], rule: string): string[] {
  return rule === '' || kind === 'bound' || kind === 'range' ? [] : [`(${rule.replace(/^(each )?must be /, '$1')})`]
}

/** How to write values of several parameters. */
export function valueNotes(pipeline: Pipeline): string[] {
  const kinds = new Set(Object.values<Parameter>(pipeline.parameters).map(({ kind }) => kind))
  return [
    ...(kinds.has('bound') ? ['A bound of a range is 1000000, 1_000_000 or 12M; -1000 counts from the end.'] : []),
    ...(takesTimes(pipeline)
      ? [
          'A date or a time as a bound, such as 2026-01-31 or 2026-01-31T12:00 (UTC), is the first block at or after it.',
        ]
      : []),
    ...(kinds.has('range')
      ? ['In A:B, A is inclusive and B is exclusive; A: goes to the end, :B begins at the first.']
      : []),
    ...(kinds.has('list')
      ? ['A LIST is a,b,c, @FILE or query:SQL; in chainlake.yaml [a, b], { file: PATH } or { query: SQL }.']
      : []),
  ]
}

function otherFlags({ reads }: Pipeline, command: string): string {
  return [
    reads === 'node' ? '--node-url URL is the node,' : '--service-profile PROFILE describes the service,',
    `--lake FOLDER the lake; \`chainlake ${command} --help\` lists all other flags.`,
  ].join(' ')
}

/** Three commands: to see what a run would do, to run it, and to look at the rows. */
export function pipelineExamples(pipeline: Pipeline): Command['examples'] {
  const { name, reads, parameters } = pipeline
  const source =
    reads === 'node' ? ' --node-url http://127.0.0.1:9650' : reads === 'service' ? ' --service-profile public' : ''
  const values = Object.entries<Parameter>(parameters).flatMap(([flag, parameter]) => {
    const value = exampleValue(flag, parameter)
    return value === null ? [] : [` --${flag} ${shellText(value)}`]
  })
  const job = `${name}${values.join('')}`
  return [
    { line: `chainlake plan ${job}${source}`, says: 'what a run would fetch' },
    Object.hasOwn(parameters, 'range')
      ? { line: `chainlake run ${job}${source} --range 1M:2M`, says: 'from 1,000,000 on, without 2,000,000' }
      : { line: `chainlake run ${job}${source}`, says: 'what is new since the last run, or all of it' },
    exampleQuery(pipeline),
  ]
}

function jobExamples(name: string): Command['examples'] {
  return [
    { line: `chainlake plan ${name}`, says: 'what a run would fetch' },
    { line: `chainlake run ${name}`, says: 'what is new since the last run, or all of it' },
    { line: `chainlake run ${name} --follow`, says: 'keep running, until Ctrl-C' },
  ]
}

function exampleQuery(pipeline: Pipeline): Command['examples'][number] {
  const [table] = Object.values<{ readonly name: string }>(pipeline.tables)
  // A job that may name its table has tables of its own, which the pipeline does not know.
  return table === undefined || Object.hasOwn(pipeline.parameters, 'table')
    ? { line: 'chainlake tables --lake ./output', says: 'the tables of the lake' }
    : { line: `chainlake sql "from ${table.name} limit 10"`, says: 'the rows' }
}

/** A value for a required parameter, or for one that declares an example. */
function exampleValue(name: string, { kind, required, example, choices, least }: Parameter): string | null {
  if (example !== null) return example
  if (!required) return null
  if (choices?.[0] !== undefined) return choices[0]
  const byKind: Partial<Record<Parameter['kind'], string>> = {
    whole: String(least),
    list: `@${name}.txt`,
    time: '2026-01-01',
  }
  return byKind[kind] ?? name.toUpperCase()
}

function takesTimes({ parameters }: Pipeline): boolean {
  return Object.values<Parameter>(parameters).some(({ kind, timeless }) => kind === 'bound' && timeless === null)
}

/** How bounds that are times lead to records, for people. */
export const timeRules = [
  'A date is its first moment. A time without a zone is UTC: 2026-01-31, 2026-01-31T12:00:00Z, 2026-01-31T12:00:00+02:00.',
  'A time means the first block at or after it, as from and as to, so that ranges that meet at a time neither overlap nor leave a gap.',
  'Each run finds the block again by binary search, about 25 requests, and names it; plan does the same.',
  'A block without a known time (P-Chain before Banff) counts as the nearest one before it with a known time, or the first one after it if there is none before.',
  'A block that the node does not have, such as a pruned one, counts as earlier.',
  'After the newest block: from reads nothing yet, and to ends at the newest block. With --follow the run continues until that time.',
]

const walkWords = {
  range: 'range: all final records in order, from the first to the last',
  pageChain: 'pageChain: a list, newest item first, down to the items that the lake holds, then on to its end',
  oldestFirst: 'oldestFirst: a list, oldest item first; the next run resumes at its end',
  blockWindow: 'blockWindow: ranges of blocks up to the head',
  timeWindow: 'timeWindow: ranges of time up to now',
  heightRange: 'heightRange: one list per block height',
  snapshot: 'snapshot: the whole list in each run, as an observation; tables with versions get changed rows only',
  series: 'series: points from the newest down to the last stored one',
  keyed: 'keyed: one request per key without an answer in the lake',
} as const

/** The tables that a pipeline fills, and the option that it needs for some of them. */
function filledBy({ tables, optional }: Pick<Pipeline, 'tables' | 'optional'>): PipelineDescription['tables'] {
  const facts = (some: Tables) => Object.values(some).map(({ name, comment }) => ({ name, comment }))
  const more = Object.entries(optional)
  return [...facts(tables), ...more.flatMap(([option, some]) => facts(some).map((table) => ({ ...table, option })))]
}

/** The pipelines that fill each table, by its name: always, or only with an option. */
export function writersOf(pipelines: readonly Pipeline[]) {
  const filled = pipelines.flatMap((pipeline) =>
    filledBy(pipeline).map(({ name, option = null }) => ({ table: name, pipeline: pipeline.name, option })),
  )
  return groupBy(filled, ({ table }) => table)
}

function ruleOf({ kind, choices, pattern, least, most, timeless }: Parameter): string {
  if (choices !== null) return `one of ${choices.join(', ')}`
  if (pattern !== null) return `${kind === 'list' ? 'each ' : ''}${pattern.says}`
  if (kind === 'abi') return 'the path of a JSON file'
  if (kind === 'time') return 'Unix seconds, a date or an RFC 3339 time'
  if (kind === 'bound')
    return `from ${least}, such as 1_000_000 or 12M; -1000 is 1,000 before the end${timeless === null ? '; a date or a time' : ''}`
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
