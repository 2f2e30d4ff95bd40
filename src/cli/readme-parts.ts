import type { Pipeline, Table } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { environment } from './settings/environment.ts'

/** Puts generated text between the markers `<!-- name -->` and `<!-- /name -->`. */
export function withPart(readme: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = readme.indexOf(start)
  const to = readme.indexOf(end)
  if (from < 0 || to < from)
    throw new ConfigError(`README.md lacks the markers ${start} and ${end}.`, { code: 'docs.markers' })
  return `${readme.slice(0, from + start.length)}\n\n${text}\n\n${readme.slice(to)}`
}

/** What the README says of every environment variable. */
export function environmentPart(): string {
  const rows = environment.map(
    ({ name, flag, comment }) => `| \`${name}\` | ${flag === null ? '' : `\`--${flag}\``} | ${comment} |`,
  )
  return ['| variable | flag | means |', '| --- | --- | --- |', ...rows].join('\n')
}

/** What the README says of every pipeline. */
export function pipelinesPart(pipelines: readonly Pipeline[]): string {
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
