import { isMap, isNode, isSeq } from 'yaml'
import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** What the validation library calls a type, in the words of YAML. */
const words: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys',
  record: 'a mapping of keys',
}

/** What a value must be and what it is; null when the issue is about something else than its type. `given` is undefined for no value. */
export function typeReason(issue: Issue, given: unknown): string | null {
  const expected = [...new Set(expectedBy(issue))]
  if (given === undefined && issue.code.startsWith('invalid_'))
    return expected.length === 0 ? 'is missing' : `is missing; it must be ${alternatives(expected)}`
  return expected.length === 0 ? null : `must be ${alternatives(expected)}, not ${shown(given)}`
}

/**
 * The issues of the only alternative that the value may be meant as: a mapping with a mistake inside is not also refused for being no text.
 * Null when there is none, or more than one.
 */
export function meantIssues(issue: Issue): Issue[] | null {
  if (issue.code !== 'invalid_union') return null
  const [meant, ...others] = issue.errors.filter((issues) => !issues.some(({ path }) => path.length === 0))
  if (meant === undefined || others.length > 0) return null
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

function expectedBy(issue: Issue): string[] {
  if (issue.code === 'invalid_type') return [words[issue.expected] ?? issue.expected]
  if (issue.code === 'invalid_value') return issue.values.map(String)
  if (issue.code !== 'invalid_union') return []
  return issue.errors.flat().flatMap((inner) => (inner.path.length === 0 ? expectedBy(inner) : []))
}

function alternatives(texts: readonly string[]): string {
  return texts.length === 1 ? texts[0]! : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

/** The longest text that is shown whole. */
const longest = 60

/** Lists and mappings may be long: their kind says enough. */
function shown(given: unknown): string {
  if (isNode(given)) return isSeq(given) ? 'a list' : isMap(given) ? 'a mapping' : 'an alias'
  const text = JSON.stringify(given)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
