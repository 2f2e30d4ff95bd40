import { resolve } from 'node:path'
import type { Options } from 'yargs'
import { checkValue } from '../../config/parameter-values.ts'
import type { Parameter, Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { OptionSet } from './command.ts'

const group = 'Parameters of jobs (details: chainlake describe PIPELINE):'

/** Up to this many pipelines are named; more are only counted. */
const mostNames = 2

/** A flag for each parameter of the pipelines. */
export function parameterFlags(pipelines: readonly Pipeline[]): OptionSet {
  const users = new Map<string, { readonly pipeline: string; readonly parameter: Parameter }[]>()
  for (const pipeline of pipelines)
    for (const [name, parameter] of Object.entries<Parameter>(pipeline.parameters))
      users.set(name, [...(users.get(name) ?? []), { pipeline: pipeline.name, parameter }])
  return Object.fromEntries(
    [...users].map(([name, uses]) => {
      const names = uses.map((use) => use.pipeline)
      const who = names.length > mostNames ? `${names.length} pipelines` : names.join(', ')
      const comment = jointComment(uses.map((use) => use.parameter.comment.replace(/\.$/, '')))
      return [name, { ...kindOf(uses.map((use) => use.parameter)), group, describe: `${comment} (${who})` }]
    }),
  )
}

/** One comment for a parameter of several pipelines: the comment itself when they all agree, otherwise the first clauses. */
function jointComment(comments: readonly string[]): string {
  const [first = '', ...others] = [...new Set(comments)]
  if (others.length === 0) return first
  const clauses = [...new Set([first, ...others].map((comment) => /^[^;:,.(]*/.exec(comment)?.[0].trim() ?? ''))]
  return clauses.length > mostNames ? `${clauses.slice(0, mostNames).join(' / ')} …` : clauses.join(' / ')
}

function kindOf(parameters: readonly Parameter[]): Options {
  return parameters.every(({ kind }) => kind === 'boolean')
    ? { type: 'boolean' }
    : { type: 'string', requiresArg: true }
}

/**
 * Parses and checks the flag of a parameter. A list is `a,b,c`, `@FILE` or `query:SQL`; an ABI is the path of its file. Paths are relative
 * to the working directory. Throws a `ConfigError` that names the flag.
 */
export function parseParameter(name: string, parameter: Parameter, given: string | boolean): unknown {
  const checked = checkValue(parameter, parsers[parameter.kind]?.(String(given)) ?? given)
  if ('value' in checked) return checked.value
  throw new ConfigError(`--${name} ${checked.mistake}.`, { code: 'config.value', hint: parameter.comment })
}

const parsers: Partial<Record<Parameter['kind'], (text: string) => unknown>> = {
  list: listOf,
  abi: (text) => (text === '' ? '' : resolve(text)),
}

/** A comma in parentheses or brackets belongs to its item, such as the signature of an event or a JSON list. */
function itemsOf(text: string): string[] {
  const items = ['']
  let depth = 0
  for (const letter of text) {
    if (letter === '(' || letter === '[') depth++
    if (letter === ')' || letter === ']') depth--
    if (letter === ',' && depth <= 0) items.push('')
    else items[items.length - 1] += letter
  }
  return items
}

function listOf(text: string): unknown {
  if (text.startsWith('@')) return { file: text === '@' ? '' : resolve(text.slice(1)) }
  if (text.startsWith('query:')) return { query: text.slice('query:'.length) }
  return itemsOf(text)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
