import { ConfigError } from '../errors.ts'
import { expandEnvironment } from './expand-environment.ts'

/** Settings that hold a URL, as paths of keys; `*` matches every key. */
export type UrlPlaces = readonly (readonly string[])[]

type Filling = {
  readonly env: NodeJS.ProcessEnv
  /** The position of a setting in the file. */
  readonly at: (key: readonly string[]) => string
}

type Holder = Record<string, unknown>

/** Replaces environment variables in these settings of a parsed file. Throws `ConfigError` for a variable that is not set. */
export function fillUrls(value: unknown, places: UrlPlaces, { env, at }: Filling): void {
  for (const key of places.flatMap((place) => keysAt(value, place))) {
    const name = key.at(-1) ?? ''
    const holder = objectAt(value, key.slice(0, -1))
    const given = holder?.[name]
    if (holder === undefined || typeof given !== 'string') continue
    const expanded = expandEnvironment(given, env)
    if ('mistake' in expanded)
      throw new ConfigError(`${at(key)}: ${key.join('.')}: ${expanded.mistake}.`, {
        code: 'config.environment',
        hint: `Set the variable, or write \${NAME:-http://127.0.0.1:9650} to give a default.`,
      })
    holder[name] = expanded.text
  }
}

function keysAt(value: unknown, place: readonly string[]): readonly (readonly string[])[] {
  const star = place.indexOf('*')
  if (star < 0) return [place]
  const before = place.slice(0, star)
  return Object.keys(objectAt(value, before) ?? {}).flatMap((name) =>
    keysAt(value, [...before, name, ...place.slice(star + 1)]),
  )
}

function objectAt(value: unknown, path: readonly string[]): Holder | undefined {
  let found = value
  for (const name of path) found = typeof found === 'object' && found !== null ? (found as Holder)[name] : undefined
  return typeof found === 'object' && found !== null ? (found as Holder) : undefined
}
