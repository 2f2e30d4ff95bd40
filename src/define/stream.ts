import { createHash } from 'node:crypto'
import type { Stream } from '../model.ts'

/** Longer values are named by their beginning and their hash. */
const longest = 120

/**
 * The stream of a service's rows. `path` names the pipeline and what it is asked of; `parameters` are those that select rows, those
 * that are undefined left out. The order of a list counts: another order is another stream.
 */
export function serviceStream(
  network: string,
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): Stream {
  const texts = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, shortened(value)] as const],
  )
  return { network, path, parameters: Object.fromEntries(texts) }
}

/** The stream of what nodes are asked for, apart from a service's of the same name. */
export function nodeStream(...[network, path, parameters]: Parameters<typeof serviceStream>): Stream {
  return serviceStream(network, `node/${path}`, parameters)
}

function shortened(value: string | number | boolean | readonly string[]): string {
  const text = typeof value === 'object' ? value.join(',') : String(value)
  if (text.length <= longest) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const [first, ...others] = typeof value === 'object' ? value : [text.slice(0, 48)]
  return others.length === 0 ? `${first}…:${hash}` : `${first}+${others.length}:${hash}`
}
