import { pipelines as declaredPipelines } from '../../pipelines/index.ts'
import { shippedLists } from '../config/shipped-lists.ts'
import type { Table } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { exitCodes } from './help/exit-codes.ts'
import { pipelineGroups } from './jobs/pipeline-groups.ts'
import { environment } from './settings/environment.ts'

const pipelines = [...declaredPipelines, ...shippedLists()]

/** Puts generated text between the markers `<!-- name -->` and `<!-- /name -->` of a document. */
export function withPart(document: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = document.indexOf(start)
  const to = document.indexOf(end)
  if (from < 0 || to < from)
    throw new ConfigError(`The document does not have the markers ${start} and ${end}.`, { code: 'docs.markers' })
  return `${document.slice(0, from + start.length)}\n\n${text}\n\n${document.slice(to)}`
}

/** The table of environment variables in the README. */
function environmentPart(): string {
  const rows = environment.map(
    ({ name, flag, comment }) => `| \`${name}\` | ${flag === null ? '' : `\`--${flag}\``} | ${comment} |`,
  )
  return ['| variable | flag | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** The table of pipelines in pipelines/README.md. */
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

/** The table of pipeline names in the README. */
function pipelineNamesPart(): string {
  const rows = pipelineGroups.flatMap(({ title, has }) => {
    const names = pipelines.filter(has).map(({ name }) => `\`${name}\``)
    return names.length === 0 ? [] : [`| ${title} | ${names.join(', ')} |`]
  })
  return ['| read | by |', '| --- | --- |', ...rows].join('\n')
}

/** The table of exit codes in the README. */
function exitCodesPart(): string {
  const rows = exitCodes.map(({ code, means }) => `| ${code} | ${means} |`)
  return ['| exit code | means |', '| --- | --- |', ...rows].join('\n')
}

type Part = { readonly document: string; readonly name: string; readonly text: string }

/** Every generated part of a document: its path in the package and the name of its markers. */
export function readmeParts(): readonly Part[] {
  return [
    { document: 'README.md', name: 'pipelines', text: pipelineNamesPart() },
    { document: 'README.md', name: 'exit codes', text: exitCodesPart() },
    { document: 'README.md', name: 'environment', text: environmentPart() },
    { document: 'pipelines/README.md', name: 'pipelines', text: pipelinesPart() },
  ]
}
