import { resolve } from 'node:path'
import type { Options } from 'yargs'
import { checkValue } from '../../config/parameter-values.ts'
import type { Parameter, Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { OptionSet } from './command.ts'

/** A flag for each parameter of the pipelines, and for those that they refuse with a reason. Help describes parameters pipeline by pipeline, so these flags need no description. */
export function parameterFlags(pipelines: readonly Pipeline[]): OptionSet {
  const users = new Map<string, Parameter[]>()
  for (const { parameters } of pipelines)
    for (const [name, parameter] of Object.entries<Parameter>(parameters))
      users.set(name, [...(users.get(name) ?? []), parameter])
  const refused = pipelines.flatMap((pipeline) => Object.keys(pipeline.refused).map((name) => [name, text] as const))
  return {
    ...Object.fromEntries(refused),
    ...Object.fromEntries([...users].map(([name, uses]) => [name, kindOf(uses)])),
  }
}

const text: Options = { type: 'string', requiresArg: true }

function kindOf(parameters: readonly Parameter[]): Options {
  return parameters.every(({ kind }) => kind === 'boolean') ? { type: 'boolean' } : text
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
