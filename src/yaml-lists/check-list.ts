import type { z } from 'zod'
import type { Report } from './check-table.ts'
import { checkColumns, checkTable } from './check-table.ts'
import { isValuePath, pathSteps } from './json-path.ts'
import { addedParameters, windowNames } from './list-parameters.ts'
import type { ListText, ParameterText } from './list-schema.ts'
import { namesWindow } from './list-walk.ts'
import { placeholders } from './template.ts'

type Path = readonly PropertyKey[]

/** The rules that concern several settings of a list. Reports each broken one with its path. */
export function checkList(list: ListText, context: z.RefinementCtx): void {
  const report: Report = (path, message) => context.addIssue({ code: 'custom', path: [...path], message })
  checkParameters(list, report)
  checkTemplates(list, report)
  checkIgnored(list, report)
  checkColumns(list, report)
  checkTable(list, report)
  checkPager(list, report)
  checkWalk(list, report)
}

function checkParameters(list: ListText, report: Report): void {
  const { parameters = {}, each, walk } = list
  for (const [name, parameter] of Object.entries(parameters))
    checkParameter(name, parameter, (path, message) => report(['parameters', name, ...path], message))
  const mustBeList = (path: Path, name: string | undefined): void => {
    if (name !== undefined && parameters[name]?.type !== 'list')
      report(path, `must name a parameter of the type list, and ${name} is none`)
  }
  mustBeList(['each'], each)
  mustBeList(['walk', 'keys'], walk.kind === 'keyed' ? walk.keys : undefined)
  if (each !== undefined && walk.kind === 'keyed') report(['each'], 'cannot be combined with the walk keyed')
}

function checkParameter(name: string, parameter: ParameterText, report: Report): void {
  const { type, query, required, pattern } = parameter
  if ((addedParameters as readonly string[]).includes(name))
    report([], 'is the name of a parameter that lists have by themselves, or of a bound: take another one')
  if (query !== undefined && type !== 'list') report(['query'], 'is for a parameter of the type list')
  if (parameter.default !== undefined && (required === true || type === 'list'))
    report(['default'], 'is for a parameter that is neither required nor a list')
  if (pattern !== undefined && !isPattern(pattern)) report(['pattern'], 'is no regular expression')
  else if (parameter.default !== undefined) {
    const mistake = defaultMistake(parameter, parameter.default)
    if (mistake !== null) report(['default'], mistake)
  }
}

/** Why a default is no value of its parameter; null for one that is. The values of jobs are checked when they are read. */
function defaultMistake(
  { type = 'text', choices, pattern, least = 0, most = Number.MAX_SAFE_INTEGER }: ParameterText,
  value: NonNullable<ParameterText['default']>,
): string | null {
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'must be true or false'
  if (type === 'whole' || type === 'time') {
    const what = type === 'time' ? 'a time in Unix seconds' : 'a whole number'
    return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? null
      : `must be ${what} from ${least} to ${most}`
  }
  const text = String(value)
  if (choices !== undefined && !choices.includes(text)) return `must be one of ${choices.join(', ')}`
  return pattern === undefined || new RegExp(pattern).test(text) ? null : `must match ${pattern}`
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}

function checkTemplates(list: ListText, report: Report): void {
  const { parameters = {}, walk, each } = list
  const isWindow = 'head' in walk
  const known = new Set(['network', ...Object.keys(parameters), ...(isWindow ? windowNames : [])])
  for (const { path, names } of templates(list))
    for (const name of names) if (!known.has(name)) report(path, `names {${name}}, which is no parameter of the list`)
  for (const name of placeholders(list.path)) checkInPath(list, name, report)
  checkTexts(list, report)
  if (list.body !== undefined && list.method !== 'POST') report(['body'], 'needs method: POST')
  if (isWindow && !namesWindow(list))
    report(['walk'], 'needs {from} and {to} (or {last}, the last one included) in query, path or body')
  const used = new Set(templates(list).flatMap(({ names }) => names))
  const single = walk.kind === 'keyed' ? { path: ['walk', 'keys'], name: walk.keys } : { path: ['each'], name: each }
  if (single.name !== undefined && !used.has(single.name))
    report(single.path, `{${single.name}} is in no request: use it in path, query or body`)
}

function checkTexts(list: ListText, report: Report): void {
  if (!/^\/(?!\/)[^\s?#]*$/.test(list.path))
    report(['path'], 'must be a path without //, white space, ? and #: see query')
  // Only the URL and the headers of a service may hold a key.
  for (const setting of ['path', 'query', 'body'] as const)
    if (/\$\{\w/.test(JSON.stringify(list[setting] ?? '')))
      report([setting], 'has a variable, and variables are replaced in services only: write it in url or headers there')
}

/** Fields to ignore are paths: those of an item are relative to it. */
function checkIgnored({ items, ignore = [] }: ListText, report: Report): void {
  const prefix = items === undefined ? '' : `${items === '[]' ? '' : items}[].`
  for (const [position, path] of ignore.entries())
    if (pathSteps(path.startsWith(prefix) ? path.slice(prefix.length) : path) === null)
      report(
        ['ignore', position],
        'must be fields with dots between them, such as meta.took or items[].logo, and [] after at most one list of an item',
      )
}

/** The settings that may have placeholders, with the names of these. */
function templates({ path, query = {}, body = {} }: ListText): { readonly path: Path; readonly names: string[] }[] {
  const within = (setting: string, entries: object) =>
    Object.entries(entries).map(([name, value]) => ({ path: [setting, name], names: placeholders(value) }))
  return [{ path: ['path'], names: placeholders(path) }, ...within('query', query), ...within('body', body)]
}

/** A parameter in the path always needs one value. */
function checkInPath({ parameters = {}, walk, each }: ListText, name: string, report: Report): void {
  const parameter = parameters[name]
  if (parameter === undefined || name === each || (walk.kind === 'keyed' && name === walk.keys)) return
  if (parameter.type === 'list')
    report(['path'], `names the list {${name}}: set each: ${name} for one request per item`)
  else if (parameter.required !== true && parameter.default === undefined)
    report(['path'], `needs a value for {${name}}: make the parameter required, or give it a default`)
}

function checkPager({ pager, walk, body, items, empty }: ListText, report: Report): void {
  if (empty !== undefined && items === undefined && walk.kind !== 'keyed')
    report(['empty'], 'needs items: without them the answer is always one item')
  if (pager === undefined) return
  const isCounted = pager.kind === 'offset' || pager.kind === 'page'
  if (isCounted && walk.kind !== 'snapshot' && walk.kind !== 'scan')
    report(
      ['pager', 'kind'],
      `cannot be ${pager.kind} with the walk ${walk.kind}: an item that arrives or leaves while a run reads moves the others to another page, and rows are lost. Take a token or a link, or the walk scan or snapshot`,
    )
  if (items === undefined) report(['pager'], 'needs items')
  if (walk.kind === 'keyed') report(['pager'], 'cannot be combined with the walk keyed: each key has one answer')
  if (pager.kind !== 'token') return
  if (!isValuePath(pager.at) || pathSteps(pager.at) === null)
    report(['pager', 'at'], 'must be a field of the answer, such as meta.next')
  if ((pager.query === undefined) === (pager.body === undefined)) report(['pager'], 'needs query or body for the token')
  if (pager.body !== undefined && body === undefined) report(['pager', 'body'], 'needs a body of the list')
}

function checkWalk({ walk, table: { columns } }: ListText, report: Report): void {
  const isTime = (name: string) => columns[name]?.type === 'time' && columns[name]?.nullable !== true
  const time = 'time' in walk ? walk.time : undefined
  if (time !== undefined && !isTime(time))
    report(['walk', 'time'], `${time} must be a column of the type time that is not nullable`)
  if (!('head' in walk)) return
  const { column, head, kind } = walk
  if (kind === 'timeWindow' && !isTime(column))
    report(['walk', 'column'], `${column} must be a column of the type time that is not nullable`)
  if (kind === 'blockWindow' && (columns[column]?.type !== 'int64' || columns[column]?.nullable === true))
    report(['walk', 'column'], `${column} must be a column of the type int64 that is not nullable`)
  if (!isValuePath(head.at)) report(['walk', 'head', 'at'], 'must be a field of the answer, such as blocks[0].number')
}
