import type { Parameter, Pipeline } from '../../define/index.ts'
import { describePipeline } from '../commands/describe/pipeline-description.ts'
import type { Command, Example } from '../flags/command.ts'
import { wrapped } from '../terminal/columns.ts'
import { flagText } from './flag-list.ts'
import { exampleLines, list, section } from './sections.ts'

/** The help of a pipeline for a command that takes jobs, such as run: `name` is that of the pipeline, or of a job of chainlake.yaml. */
export function pipelineHelp(name: string, pipeline: Pipeline, command: Command, width: number): string {
  const { comment, walk, parameters, tables } = describePipeline(pipeline)
  const isJob = name !== pipeline.name
  return [
    ...wrapped(`${name}: ${isJob ? `a job of chainlake.yaml, pipeline ${pipeline.name}. ` : ''}${comment}`, width),
    '',
    `chainlake ${command.name} ${name} [flags]`,
    ...list('reads', [[sourceText(pipeline), walk]], width),
    ...list(
      'writes',
      tables.length === 0
        ? [['tables', 'The values of a job decide which tables it fills.']]
        : tables.map((table) => [
            table.name,
            table.option === undefined ? table.comment : `${table.comment} With --${table.option}.`,
          ]),
      width,
    ),
    ...list(
      'parameters',
      parameters.map(({ name: parameter, kind, required, rule, comment: meaning }) => [
        flagText(parameter, { type: kind === 'boolean' ? 'boolean' : 'string', value: valueWords[kind] }),
        [...(required ? ['Required.'] : []), meaning, ...ruleText(kind, rule)].join(' '),
      ]),
      width,
    ),
    ...section(
      'values',
      valueNotes(pipeline)
        .flatMap((note) => wrapped(note, width - 2))
        .map((line) => `  ${line}`),
    ),
    ...section(
      'other flags',
      wrapped(otherFlags(pipeline, command), width - 2).map((line) => `  ${line}`),
    ),
    ...section('examples', exampleLines(isJob ? jobExamples(name) : pipelineExamples(pipeline), width)),
  ].join('\n')
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
export function valueNotes({ parameters }: Pipeline): string[] {
  const declared = Object.values<Parameter>(parameters)
  const kinds = new Set(declared.map(({ kind }) => kind))
  const takesTimes = declared.some(({ kind, timeless }) => kind === 'bound' && timeless === null)
  return [
    ...(kinds.has('bound') ? ['A bound of a range is 1000000, 1_000_000 or 12M; -1000 counts from the end.'] : []),
    ...(takesTimes
      ? [
          'A date or a time as a bound, such as 2026-01-31 or 2026-01-31T12:00 (UTC), is the first block at or after it.',
        ]
      : []),
    ...(kinds.has('range')
      ? ['In A:B, A is inclusive and B is exclusive; A: goes to the end, :B begins at the first.']
      : []),
    ...(kinds.has('list') ? ['A LIST is a,b,c, @FILE or query:SQL.'] : []),
  ]
}

function otherFlags({ reads }: Pipeline, { name }: Command): string {
  return [
    reads === 'node' ? '--node-url URL is the node,' : '--service-profile PROFILE describes the service,',
    `--lake FOLDER the lake; \`chainlake ${name} --help\` lists all other flags.`,
  ].join(' ')
}

/** Three commands: to see what a run would do, to run it, and to look at the rows. */
export function pipelineExamples(pipeline: Pipeline): Example[] {
  const { name, reads, parameters } = pipeline
  const source =
    reads === 'node' ? ' --node-url http://127.0.0.1:9650' : reads === 'service' ? ' --service-profile public' : ''
  const values = Object.entries<Parameter>(parameters).flatMap(([flag, parameter]) => {
    const value = exampleValue(flag, parameter)
    return value === null ? [] : [` --${flag} ${shellWord(value)}`]
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

function jobExamples(name: string): Example[] {
  return [
    { line: `chainlake plan ${name}`, says: 'what a run would fetch' },
    { line: `chainlake run ${name}`, says: 'what is new since the last run, or all of it' },
    { line: `chainlake run ${name} --follow`, says: 'keep running, until Ctrl-C' },
  ]
}

function exampleQuery(pipeline: Pipeline): Example {
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

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text}'`
}
