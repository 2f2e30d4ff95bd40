import { pipelines } from '../../pipelines/index.ts'
import type { Pipeline, Table } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { environment } from './settings/environment.ts'

/** Puts generated text between the markers `<!-- name -->` and `<!-- /name -->` of a document. */
export function withPart(document: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = document.indexOf(start)
  const to = document.indexOf(end)
  if (from < 0 || to < from)
    throw new ConfigError(`The document lacks the markers ${start} and ${end}.`, { code: 'docs.markers' })
  return `${document.slice(0, from + start.length)}\n\n${text}\n\n${document.slice(to)}`
}

/** What the README says of every environment variable. */
function environmentPart(): string {
  const rows = environment.map(
    ({ name, flag, comment }) => `| \`${name}\` | ${flag === null ? '' : `\`--${flag}\``} | ${comment} |`,
  )
  return ['| variable | flag | means |', '| --- | --- | --- |', ...rows].join('\n')
}

/** What pipelines/README.md says of every pipeline. */
function pipelinesPart(): string {
  const names = (tables: Record<string, Table>) =>
    Object.values(tables)
      .map(({ name }) => `\`${name}\``)
      .join(', ')
  const rows = pipelines.map((pipeline) => {
    const { name, comment, tables } = pipeline
    const optional = Object.entries(pipeline.optional).map(
      ([parameter, more]) => `, with \`--${parameter}\` also ${names(more)}`,
    )
    return `| \`${name}\` | ${comment} | ${names(tables)}${optional.join('')} |`
  })
  return ['| pipeline | reads | writes |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Who is asked, and how: what pipelines are told apart by in the README. */
const groups: readonly { readonly title: string; readonly has: (pipeline: Pipeline) => boolean }[] = [
  { title: 'a node, block by block', has: ({ reads, walks }) => reads === 'node' && walks.includes('range') },
  { title: 'a node, as it is now', has: ({ reads, walks }) => reads === 'node' && !walks.includes('range') },
  { title: 'the REST service', has: ({ reads }) => reads === 'service' },
]

/** What the README says of the pipelines: their names, each once. */
function pipelineNamesPart(): string {
  const rows = groups.map(({ title, has }) => {
    const names = pipelines.filter(has).map(({ name }) => `\`${name}\``)
    return `| ${title} | ${names.join(', ')} |`
  })
  return ['| read | by |', '| --- | --- |', ...rows].join('\n')
}

type Part = { readonly document: string; readonly name: string; readonly text: string }

/** Every generated part of a document: its path in the package and the name of its markers. */
export function readmeParts(): readonly Part[] {
  return [
    { document: 'README.md', name: 'pipelines', text: pipelineNamesPart() },
    { document: 'README.md', name: 'environment', text: environmentPart() },
    { document: 'pipelines/README.md', name: 'pipelines', text: pipelinesPart() },
  ]
}
