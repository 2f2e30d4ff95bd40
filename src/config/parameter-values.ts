import { readFile } from 'node:fs/promises'
import type { Parameter } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { withoutMark } from '../lib/text.ts'
import { boundOrTimeOf, givenTimeNs, rangeOf, wholeSeconds } from '../lib/time.ts'

/** A list parameter as given: its items, a file with one item per line, or a query on the views of the lake. */
export type ListSource = readonly string[] | { readonly file: string } | { readonly query: string }

/**
 * The value of a parameter, or its mistake as the end of a sentence. In a list, `item` is the position of the first wrong item, and
 * `others` are the further mistakes.
 */
type CheckedValue = { readonly value: unknown } | WrongValue
type WrongValue = { readonly mistake: string; readonly item?: number; readonly others?: readonly WrongValue[] }

/**
 * Checks the value of a parameter from chainlake.yaml and converts it: a text to a string, a time to Unix seconds, a list to a
 * `ListSource`, an ABI to its file. An optional parameter that is not given becomes undefined.
 */
export function checkValue(parameter: Parameter, given: unknown): CheckedValue {
  if (given === undefined || given === null)
    return parameter.required
      ? { mistake: `is missing: ${parameter.comment.replace(/\.$/, '')}` }
      : { value: undefined }
  return checks[parameter.kind](parameter, given)
}

const checks: Readonly<Record<Parameter['kind'], (parameter: Parameter, given: unknown) => CheckedValue>> = {
  text: checkText,
  whole: checkWhole,
  boolean: (_, given) =>
    typeof given === 'boolean' ? { value: given } : { mistake: `must be true or false, not ${shown(given)}` },
  time: checkTime,
  bound: checkBound,
  range: checkRange,
  list: checkList,
  abi: (_, given) =>
    typeof given === 'string' && given.trim() !== ''
      ? { value: { file: given.trim() } }
      : { mistake: `must be the path of a file, not ${shown(given)}` },
}

/** The mistake in a text or in an item of a list; null for none. */
export function mistakeOfText({ choices, pattern }: Parameter, text: string): string | null {
  if (text === '') return 'must not be empty'
  if (choices !== null && !choices.includes(text)) return `must be one of ${choices.join(', ')}, not ${shown(text)}`
  if (pattern !== null && !new RegExp(pattern.source, 'u').test(text))
    return `${pattern.says}, not ${shown(text)}${isCut(text) ? ' (in a YAML list, put quotes around a text with commas)' : ''}`
  return null
}

/** A list of YAML ends an item at a comma, also within parentheses. */
function isCut(text: string): boolean {
  return text.split('(').length > text.split(')').length
}

/** A text may be given as a whole number, since YAML parses a chain id as a number. */
function checkText(parameter: Parameter, given: unknown): CheckedValue {
  const text = textOf(given)
  if (text === undefined) return { mistake: `must be a text, not ${shown(given)}` }
  const mistake = mistakeOfText(parameter, text)
  return mistake === null ? { value: text } : { mistake }
}

function checkWhole({ least, most }: Parameter, given: unknown): CheckedValue {
  const value = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return { value }
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
  return { mistake: `must be a whole number ${range}, not ${shown(given)}` }
}

function checkBound({ least, timeless }: Parameter, given: unknown): CheckedValue {
  const value = boundOrTimeOf(textOf(given) ?? '')
  if (typeof value === 'string' && timeless !== null) return { mistake: `cannot be a time: ${timeless}` }
  if (value !== null && (typeof value === 'string' || value < 0 || value >= least)) return { value }
  return {
    mistake: `must be a whole number from ${least} such as 1000000, 1_000_000 or 12M, or -1000 from the end${timeless === null ? ', or a time such as 2026-01-31 or 2026-01-31T12:00 (UTC)' : ''}, not ${shown(given)}`,
  }
}

function checkRange({ timeless }: Parameter, given: unknown): CheckedValue {
  const value = rangeOf(textOf(given) ?? '')
  const isTimed = typeof value?.from === 'string' || typeof value?.to === 'string'
  if (isTimed && timeless !== null) return { mistake: `cannot have times: ${timeless}` }
  if (value !== null) return { value }
  return {
    mistake: `must be a range such as 1000:2000, 12M:, :1_000_000${timeless === null ? ', -1000: or 2026-01-01:2026-02-01' : ' or -1000:'}, not ${shown(given)}`,
  }
}

/** Accepts Unix seconds, or a time as `givenTimeNs` reads it. */
function checkTime(_: Parameter, given: unknown): CheckedValue {
  const text = textOf(given)
  const seconds = text === undefined ? null : secondsOf(text)
  if (seconds !== null && Number.isSafeInteger(seconds) && seconds >= 0) return { value: seconds }
  return {
    mistake: `must be Unix seconds or a time such as 2025-01-31 or 2025-01-31T12:00 (UTC), not ${shown(given)}`,
  }
}

function secondsOf(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text)
  const ns = givenTimeNs(text)
  return ns === null ? null : wholeSeconds(ns)
}

function checkList(parameter: Parameter, given: unknown): CheckedValue {
  if (Array.isArray(given)) return checkItems(parameter, given)
  const [source, ...others] = typeof given === 'object' && given !== null ? Object.entries(given) : []
  if (source !== undefined && others.length === 0 && (source[0] === 'file' || source[0] === 'query')) {
    const [kind, text] = source
    if (typeof text !== 'string' || text.trim() === '') return { mistake: `must have a text as its ${kind}` }
    return { value: { [kind]: text } }
  }
  return { mistake: 'must be a list such as [a, b], { file: path } or { query: SQL }' }
}

function checkItems(parameter: Parameter, given: readonly unknown[]): CheckedValue {
  const items: string[] = []
  const wrong: WrongValue[] = []
  for (const [item, one] of given.entries()) {
    const text = textOf(one)
    const mistake = text === undefined ? `must be a text, not ${shown(one)}` : mistakeOfText(parameter, text)
    if (mistake !== null) wrong.push({ mistake, item })
    else if (text !== undefined) items.push(text)
  }
  const [first, ...others] = wrong
  if (first !== undefined) return { ...first, others }
  return items.length === 0 ? { mistake: 'must not be empty' } : { value: [...new Set(items)] }
}

function textOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given.trim()
  if (given instanceof Date && !Number.isNaN(given.getTime())) return given.toISOString()
  return Number.isSafeInteger(given) ? String(given) : undefined
}

const longest = 80

function shown(given: unknown): string {
  // Aliases of YAML can make a huge value from little text.
  let left = longest
  const text = JSON.stringify(given, (_, inner) => (left-- > 0 ? inner : undefined)) ?? String(given)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** The values of a text with one value per line. Surrounding blanks, empty lines and comments (`# …`) are ignored. */
export function parseListFile(text: string): string[] {
  return withoutMark(text)
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
}

/** Reads a list of values, one per line; `name` is the flag or key for the error message. Throws `ConfigError`. */
export async function readListFile(path: string, name: string): Promise<string[]> {
  return parseListFile(await readTextFile(path, name, ofParameter))
}

/** Where the path of a file that a parameter names begins. */
export const ofParameter =
  'A path in chainlake.yaml is relative to that file; a path in a flag is relative to the working directory.'

/** Reads a text file; `name` is what names it, for the error message, and `hint` says where its path begins. Throws `ConfigError`. */
export async function readTextFile(
  path: string,
  name: string,
  hint = 'A relative path begins in the working directory.',
): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw unreadable(`${name}: the file ${path}`, cause, hint)
  }
}

export function unreadable(what: string, cause: unknown, hint: string): ConfigError {
  const { code, message } = cause as NodeJS.ErrnoException
  return new ConfigError(`${what} cannot be read.`, {
    code: 'config.unreadable',
    details: { reason: code === 'ENOENT' ? 'no such file' : message },
    hint,
    cause,
  })
}
