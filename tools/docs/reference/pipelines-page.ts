import { pipelines as declaredPipelines } from '../../../pipelines/index.ts'
import {
  describePipeline,
  type PipelineDescription,
  timeRules,
} from '../../../src/cli/commands/describe/pipeline-description.ts'
import { pipelineExamples, sourceText, valueNotes } from '../../../src/cli/help/pipeline-help.ts'
import { pipelineGroups } from '../../../src/cli/jobs/pipeline-groups.ts'
import { shippedLists } from '../../../src/config/shipped-lists.ts'
import type { Pipeline } from '../../../src/define/index.ts'
import { pageOf } from '../tables/pages.ts'
import { bullets, type Document, documentText, markdownTable, paragraph } from '../text/markdown.ts'
import { exampleTable } from './cli-page.ts'

/** The reference of all pipelines: what each reads, its walk, parameters and tables, and an example. */
export function pipelinesPage(): Document {
  const pipelines = [...declaredPipelines, ...shippedLists()]
  const groups = pipelineGroups.flatMap(({ title, has }) => {
    const members = pipelines.filter(has)
    return members.length === 0 ? [] : [{ title, members }]
  })
  const notes = [...new Set(pipelines.flatMap(valueNotes))]
  const text = documentText('Pipelines', [
    paragraph(
      'A pipeline defines which source fills which tables. `chainlake run PIPELINE` executes one; a job in [`chainlake.yaml`](configuration.md) is a pipeline with parameters. [How walks work](../../pipelines/README.md#walks) says how each kind of pipeline reads its source and resumes.',
    ),
    ...groups.map(({ title, members }) =>
      paragraph(`${capitalised(title)}: ${members.map(({ name }) => `[\`${name}\`](#${name})`).join(', ')}.`),
    ),
    paragraph(
      'Each parameter is a flag, and under the same name a key of a job. Values of several kinds are written like this:',
    ),
    bullets([...notes, 'In `chainlake.yaml` a list is `[a, b]`, `{ file: PATH }` or `{ query: SQL }`.']),
    paragraph('A time as a bound of a range means this:'),
    bullets(timeRules.slice(1).map((rule) => rule.trim())),
    ...groups.flatMap(({ title, members }) => [`## ${capitalised(title)}`, ...members.flatMap(pipelineSection)]),
  ])
  return { path: 'docs/reference/pipelines.md', text }
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

function parametersTable({ parameters }: PipelineDescription): string {
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

function tablesText({ tables }: PipelineDescription): string {
  if (tables.length === 0) return 'The values of a job decide which tables it fills.'
  const texts = tables.map(({ name, option }) => {
    const link = `[\`${name}\`](tables/${pageOf(name).file}.md#${name})`
    return option === undefined ? link : `${link} (with \`--${option}\`)`
  })
  return `Writes ${texts.join(', ')}.`
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
