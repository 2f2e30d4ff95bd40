import { pipelines } from '../../pipelines/index.ts'
import { runCommand } from '../../src/cli/commands/export.ts'
import { commandGroups } from '../../src/cli/commands/index.ts'
import { metricFamilies, sampleName } from '../../src/cli/commands/keep-metrics.ts'
import {
  describePipeline,
  pipelineExamples,
  pipelineGroups,
  sourceText,
  timeRules,
  valueNotes,
} from '../../src/cli/commands/pipeline-description.ts'
import { argumentOf, type Command, flagText, type OptionSet, storeFlags } from '../../src/cli/flags/command.ts'
import { exitCodes } from '../../src/cli/help.ts'
import { flagsWithVariable, otherVariables, variableOf } from '../../src/cli/settings.ts'
import { configJsonSchema, type JsonSchema } from '../../src/config/schema.ts'
import { amountPattern, amounts } from '../../src/config/settings.ts'
import { shippedLists } from '../../src/config/shipped-lists.ts'
import type { Pipeline } from '../../src/define/index.ts'
import { bullets, codeBlock, linksTo, markdownTable, type Pages, paragraph } from './markdown.ts'
import { pageOf } from './tables.ts'

const all = [...pipelines, ...shippedLists()]
const groups = pipelineGroups.flatMap(({ title, has }) => {
  const members = all.filter(has)
  return members.length === 0 ? [] : [{ title: `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`, members }]
})
const config = configJsonSchema(all) as JsonSchema

/** The pages about commands, pipelines and settings, with what makes their parts. */
export const referencePages: Pages = {
  // From the declarations that answer `--help`.
  'docs/reference/cli.md': {
    commands: () => commandGroups.flatMap(commandSections).join('\n\n'),
    storeFlags: () => flagTable(storeFlags),
  },
  // What each reads, its walk, parameters and tables, and an example.
  'docs/reference/pipelines.md': {
    groups: () => groups.map(({ title, members }) => paragraph(`${title}: ${linksTo(members)}.`)).join('\n\n'),
    values: () => bullets([...new Set(all.flatMap(valueNotes))]),
    times: () => bullets(timeRules),
    pipelines: () =>
      groups.flatMap(({ title, members }) => [`## ${title}`, ...members.flatMap(pipelineSection)]).join('\n\n'),
  },
  // From the schema that `chainlake validate` checks.
  'docs/reference/configuration.md': {
    settings: () =>
      markdownTable(
        ['key', 'value', 'flag', 'variable', 'meaning'],
        keyRows({ ...config, properties: withoutSections(config.properties) }, '').map(settingRow),
      ),
    keys: (key = '') => keyTable(keyRows({ properties: { [key]: config.properties![key]! } }, '')),
  },
  'docs/reference/environment.md': {
    variables: () =>
      markdownTable(
        ['variable', 'flag', 'meaning'],
        [
          ...flagsWithVariable.map((flag) => [`\`${variableOf(flag)}\``, `\`--${flag}\``, flagComment(flag)]),
          ...Object.entries(otherVariables).map(([name, comment]) => [`\`${name}\``, '', comment]),
        ],
      ),
  },
  'docs/reference/exit-codes.md': {
    exitCodes: () =>
      markdownTable(
        ['exit code', 'means'],
        exitCodes.map(({ code, means }) => [code, means]),
      ),
  },
  'docs/reference/metrics.md': {
    metrics: () =>
      markdownTable(
        ['metric', 'type', 'meaning'],
        Object.entries(metricFamilies).map(([name, [kind, help]]) => [`\`${sampleName(name, kind)}\``, kind, help]),
      ),
  },
}

function commandSections({ title, commands }: (typeof commandGroups)[number]): string[] {
  const rows = commands.map(({ name, usage, comment }) => [`[\`${usage}\`](#${name})`, `${comment}.`])
  return [`## To ${title}`, markdownTable(['command', 'does'], rows), ...commands.flatMap(commandSection)]
}

function commandSection({ name, usage, comment, argument, options, examples, takesJobs }: Command): string[] {
  const own = Object.fromEntries(
    Object.entries<OptionSet[string]>(options).filter(([flag]) => !Object.hasOwn(storeFlags, flag)),
  )
  const usesStore = Object.keys(options).some((flag) => Object.hasOwn(storeFlags, flag))
  return [
    `### ${name}`,
    paragraph(`${comment}.`),
    codeBlock('text', `chainlake ${usage} [flags]`),
    ...(argument === undefined
      ? []
      : [markdownTable(['argument', 'meaning'], [[`\`${argumentOf({ usage }).name}\``, argument]])]),
    ...(Object.keys(own).length === 0 ? [] : [flagTable(own)]),
    ...(usesStore ? [`Also: [flags for S3 and PostgreSQL](#flags-for-s3-and-postgresql).`] : []),
    ...(takesJobs ? ['Also: each parameter of the [pipelines](pipelines.md) that it runs.'] : []),
    ...(examples.length === 0 ? [] : [exampleTable(examples)]),
  ]
}

function flagTable(options: OptionSet): string {
  return markdownTable(
    ['flag', 'meaning'],
    Object.entries(options).map(([flag, declared]) => [`\`${flagText(flag, declared)}\``, declared.describe ?? '']),
  )
}

function exampleTable(examples: Command['examples']): string {
  return markdownTable(
    ['example', 'does'],
    examples.map(({ line, says }) => [`\`${line}\``, says]),
  )
}

function pipelineSection(pipeline: Pipeline): string[] {
  const description = describePipeline(pipeline)
  return [
    `### ${pipeline.name}`,
    paragraph(description.comment),
    paragraph(`Reads ${sourceText(pipeline)}. Walk: ${description.walk}.`),
    ...(description.parameters.length === 0 ? [] : [parametersTable(description)]),
    ...description.refused.map(({ name, why, instead }) => paragraph(`\`--${name}\` is refused. ${why} ${instead}`)),
    paragraph(tablesText(description)),
    exampleTable(pipelineExamples(pipeline)),
  ]
}

type Description = ReturnType<typeof describePipeline>

function parametersTable({ parameters }: Description): string {
  return markdownTable(
    ['parameter', 'kind', 'meaning', 'rule'],
    parameters.map(({ name, kind, required, comment, rule }) => [
      `\`--${name}\``,
      required ? `${kind}, required` : kind,
      comment,
      shortRule(kind, rule),
    ]),
  )
}

/** How bounds and ranges are written is above. */
function shortRule(kind: string, rule: string): string {
  if (kind === 'range') return ''
  return kind === 'bound' ? rule.replace(/, such as [^;]+; -1000 is [^;]+/, '').replace(';', ', or') : rule
}

function tablesText({ tables }: Description): string {
  if (tables.length === 0) return 'The values of a job decide which tables it fills.'
  const texts = tables.map(({ name, option }) => {
    const link = `[\`${name}\`](tables/${pageOf(name).file}.md#${name})`
    return option === undefined ? link : `${link} (with \`--${option}\`)`
  })
  return `Writes ${texts.join(', ')}.`
}

/** A key with how its value is written and what it means. */
type KeyRow = readonly [key: string, value: string, meaning: string]

/** The keys of an object of a schema, each followed by the keys below it. A key of the user's choice is called NAME. */
export function keyRows(schema: JsonSchema, path: string): KeyRow[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, value]) =>
    withinRows(value, path === '' ? key : `${path}.${key}`, schema.required?.includes(key) === true),
  )
  return [...own, ...namedRows(schema, path)]
}

function namedRows({ additionalProperties: named }: JsonSchema, path: string): KeyRow[] {
  if (typeof named !== 'object') return []
  const inner = `${path}.NAME`
  return named.description !== undefined || named.properties === undefined
    ? withinRows(named, inner, false)
    : keyRows(named, inner)
}

/** The row of a key itself, and those of its alternatives and of what is below it. */
function withinRows(schema: JsonSchema, path: string, isRequired: boolean): KeyRow[] {
  const meaning = `${schema.description ?? ''}${isRequired ? ' Required.' : ''}`.trim()
  const kinds = alternatives(schema).filter(({ properties }) => properties !== undefined)
  return [
    [path, valueText(schema), meaning],
    ...kinds.flatMap((kind) => kindRows(kind, path)),
    ...keyRows(schema, path),
  ]
}

/** One alternative of an object, with or without the key `kind`. The description of `kind` says what the alternative does. */
function kindRows(schema: JsonSchema, path: string): KeyRow[] {
  const { kind, ...others } = schema.properties ?? {}
  const rows = keyRows({ ...schema, properties: others }, path)
  if (kind?.const === undefined) return rows
  const name = String(kind.const)
  return [
    [`${path}.kind`, `\`${name}\``, kind.description ?? ''],
    ...rows.map(([key, value, meaning]): KeyRow => [key, value, `With kind \`${name}\`: ${lowered(meaning)}`]),
  ]
}

function alternatives({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  return anyOf ?? oneOf ?? []
}

function valueText(schema: JsonSchema): string {
  const { enum: choices, const: only } = schema
  if (only !== undefined) return `\`${String(only)}\``
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(', ')
  const others = alternatives(schema)
  const measure = [schema, ...others].flatMap(({ pattern = '' }) => measures[pattern] ?? [])[0]
  if (measure !== undefined) return measure
  if (others.length > 0) return [...new Set(others.map(valueText))].filter((text) => text !== '').join(' or ')
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  return types.map((type) => typeText(type, schema)).join(' or ')
}

/** How amounts are written, by the pattern of their text. */
const measures: Readonly<Record<string, string>> = Object.fromEntries(
  (['duration', 'age', 'size'] as const).map((kind) => {
    const { what, such } = amounts[kind]
    return [amountPattern(kind).source, `${what.replace(/^an? /, '')} such as ${such}`]
  }),
)

function typeText(type: string, { minimum, items }: JsonSchema): string {
  if (type === 'integer') return minimum === undefined || minimum < 0 ? 'whole number' : `whole number from ${minimum}`
  if (type === 'boolean') return 'true or false'
  if (type === 'string') return 'text'
  if (type === 'object') return 'keys'
  if (type === 'array') return items === undefined ? 'list' : `list of ${valueText(items)}`
  return type
}

function lowered(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text
}

/** Keys with a section of their own in the page. */
const sections = ['lake', 'service', 'services', 'lists', 'jobs']

function withoutSections(properties: JsonSchema['properties'] = {}) {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !sections.includes(key)))
}

function settingRow([key, value, meaning]: KeyRow): string[] {
  const flag = Object.hasOwn(runCommand.options, key) ? `\`--${key}\`` : ''
  return [`\`${key}\``, value, flag, flagsWithVariable.includes(key) ? `\`${variableOf(key)}\`` : '', meaning]
}

function keyTable(rows: readonly KeyRow[]): string {
  return markdownTable(
    ['key', 'value', 'meaning'],
    rows.map(([key, value, meaning]) => [`\`${key}\``, value, meaning]),
  )
}

function flagComment(flag: string): string {
  const options: OptionSet = runCommand.options
  return options[flag]?.describe ?? ''
}
