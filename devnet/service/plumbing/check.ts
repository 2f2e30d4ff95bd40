import { ServiceError } from './error.ts'
import { BrokenRule, type CheckedValues, type Rules } from './rules.ts'

/**
 * Checks parameters and returns their values. Names without a rule are ignored. Throws `ServiceError` 400 with one message for each invalid
 * parameter.
 */
export function checkQuery<R extends Rules>(rules: R, query: URLSearchParams): CheckedValues<R> {
  return check(rules, (name) => query.getAll(name))
}

/** The same for parts of a path. */
export function checkParts<R extends Rules>(rules: R, parts: Readonly<Record<string, string>>): CheckedValues<R> {
  return check(rules, (name) => (parts[name] === undefined ? [] : [parts[name]]))
}

/** Reads a value from a body with the function of a rule. Throws `ServiceError` 400. */
export function checked<V>(read: () => V): V {
  try {
    return read()
  } catch (error) {
    if (error instanceof BrokenRule) throw ServiceError.invalid([error.message])
    throw error
  }
}

function check<R extends Rules>(rules: R, textsOf: (name: string) => readonly string[]): CheckedValues<R> {
  const messages: string[] = []
  const values = Object.entries(rules).map(([name, rule]) => {
    const texts = textsOf(name)
    if (texts.length === 0) {
      if (rule.required) messages.push(`${name} should not be empty`)
      return [name, undefined]
    }
    try {
      return [name, rule.read(name, texts)]
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error
      messages.push(error.message)
      return [name, undefined]
    }
  })
  if (messages.length > 0) throw ServiceError.invalid(messages)
  return Object.fromEntries(values) as CheckedValues<R>
}
