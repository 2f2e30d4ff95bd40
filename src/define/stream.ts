import { createHash } from 'node:crypto'
import type { Stream } from '../model.ts'

/** Most characters of a parameter's value. A longer value is replaced by its beginning and its hash. */
const longest = 120

/**
 * The stream of a service's rows. `path` names the pipeline and the subject of its requests; where that is a chain, such as `tps/43114` or
 * `rest-utxos/P`, `verify` compares the chain of the rows with it. `parameters` are those that select rows;
 * undefined ones are omitted. The order of a list matters: another order is another stream.
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

/** The stream of rows from nodes. Its path differs from the path of a service's stream with the same name. */
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
