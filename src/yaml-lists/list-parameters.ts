import { type Parameter, type Parameters, p } from '../define/index.ts'
import type { ListText, ParameterText } from './list-schema.ts'
import { placeholders, type TemplateValues } from './template.ts'

/** Values that the walk of a window gives to the templates of a list. */
export const windowNames = ['from', 'to', 'last'] as const

/** Names of the parameters that every list has, and of properties that every object has. */
export const addedParameters = ['network', 'from', 'to', 'unit-pages', 'pipeline', 'last', 'constructor'] as const

/** The parameters of jobs of a list: its own, and those that its walk needs. */
export function listParameters(list: ListText): Parameters {
  const own = Object.entries(list.parameters ?? {}).map(([name, text]) => [name, declared(text)] as const)
  return {
    ...(list.network === undefined ? networkParameter : {}),
    ...Object.fromEntries(own),
    ...(list.walk.kind === 'blockWindow' ? blockBounds : list.walk.kind === 'timeWindow' ? timeBounds : {}),
    'unit-pages': p.whole(
      'Pages per commit (default: 500). Smaller commits lose less when a run ends, and write more files.',
      { least: 1 },
    ),
  }
}

const networkParameter = {
  network: p.text.required('Network of the rows, such as mainnet or fuji.', {
    pattern: { source: '^[a-z0-9-]+$', says: 'must be the name of a network, such as mainnet or fuji' },
    example: 'mainnet',
  }),
}
const blockBounds = {
  from: p.whole('First block, inclusive (default: 0).'),
  to: p.whole('Last block, exclusive (default: after the newest block of the service).'),
}
const timeBounds = {
  from: p.time('First second (default: 1970).'),
  to: p.time('End of the range, exclusive (default: after the newest time of the service).'),
}

function declared({
  comment,
  type = 'text',
  required,
  choices,
  pattern,
  least,
  most,
  query,
}: ParameterText): Parameter {
  const rules = {
    ...(choices === undefined ? {} : { choices }),
    ...(pattern === undefined ? {} : { pattern: { source: pattern, says: `must match ${pattern}` } }),
    ...(least === undefined ? {} : { least }),
    ...(most === undefined ? {} : { most }),
    ...(query === undefined ? {} : { query }),
  }
  return required === true ? p[type].required(comment, rules) : p[type](comment, rules)
}

/** The values of the parameters, with defaults. */
export function withDefaults({ parameters = {} }: ListText, values: TemplateValues): TemplateValues {
  const defaults = Object.entries(parameters).flatMap(([name, text]) =>
    text.default === undefined ? [] : [[name, text.default] as const],
  )
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(defaults), ...Object.fromEntries(given) }
}

/** Parameters that select rows and stand in the path of requests. */
export function pathParameters(list: ListText): string[] {
  const inPath = new Set(placeholders(list.path))
  return selecting(list).filter((name) => inPath.has(name))
}

/** Parameters that select rows and stand elsewhere, such as in the query. */
export function filterParameters(list: ListText): string[] {
  const inPath = new Set(placeholders(list.path))
  return selecting(list).filter((name) => !inPath.has(name))
}

function selecting({ parameters = {}, walk }: ListText): string[] {
  const keys = walk.kind === 'keyed' ? walk.keys : null
  return Object.entries(parameters).flatMap(([name, { selects }]) => (selects === false || name === keys ? [] : [name]))
}
