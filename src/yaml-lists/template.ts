import { ConfigError } from '../errors.ts'

/** Values of the parameters of a job, by name. */
export type TemplateValues = Readonly<Record<string, unknown>>

const placeholder = /\{([a-z][a-z0-9-]*)(?::(ms|iso))?\}/g

/** The names in braces of a text, or of all texts in a value. */
export function placeholders(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(placeholder)].map(([, name = '']) => name)
  if (Array.isArray(value)) return value.flatMap(placeholders)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(placeholders) : []
}

/**
 * A value with its placeholders filled. A text that is one placeholder becomes the value itself, such as a number or a list. Undefined when
 * a placeholder has no value.
 */
export function filled(value: unknown, values: TemplateValues): unknown {
  if (typeof value === 'string') return filledText(value, values)
  if (Array.isArray(value)) return value.map((item) => filled(item, values)).filter((item) => item !== undefined)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, filled(member, values)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

/**
 * A path with its placeholders filled, percent-encoded. Throws `RangeError` when one has no value, and `ConfigError` for one that leads to
 * another path: values may come from a table that a service filled.
 */
export function filledPath(path: string, values: TemplateValues): string {
  return path.replace(placeholder, (_, name: string, format?: string) => {
    const value = valueFor(values, name, format)
    if (value === undefined || value === '') throw new RangeError(`The path ${path} needs a value for ${name}.`)
    if (/^\.{1,2}$/.test(String(value)))
      throw new ConfigError(`${name} cannot be ${value}: the path ${path} would lead to another one.`, {
        code: 'config.value',
        hint: `Leave this value out of ${name}.`,
      })
    return encodeURIComponent(String(value))
  })
}

function filledText(text: string, values: TemplateValues): unknown {
  const whole = /^\{([a-z][a-z0-9-]*)(?::(ms|iso))?\}$/.exec(text)
  if (whole !== null) return valueFor(values, whole[1] as string, whole[2])
  let isComplete = true
  const result = text.replace(placeholder, (_, name: string, format?: string) => {
    const value = valueFor(values, name, format)
    isComplete &&= value !== undefined
    return Array.isArray(value) ? value.join(',') : String(value)
  })
  return isComplete ? result : undefined
}

/** A value, or a time in Unix seconds in another format. */
function valueFor(values: TemplateValues, name: string, format: string | undefined): unknown {
  const value = values[name]
  if (value === undefined || format === undefined) return value
  return format === 'ms' ? Number(value) * 1000 : `${new Date(Number(value) * 1000).toISOString().slice(0, -5)}Z`
}
