import type { Stream } from '../model.ts'

/**
 * The stream of a service's rows. `path` names the pipeline and what its requests are about. If that is a chain, give it as `chain`: it ends
 * the path, as in `tps/43114` or `rest-utxos/P`, and `verify` compares the chain of the rows with it. `parameters` are those that select
 * rows; undefined ones are omitted. The order of a list matters: another order is another stream.
 */
export function serviceStream(
  network: string,
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
  chain?: string,
): Stream {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'object' ? value : String(value)] as const],
  )
  return {
    network,
    path: chain === undefined ? path : `${path}/${chain}`,
    kind: path,
    chain,
    parameters: Object.fromEntries(given),
  }
}

/** The stream of rows from nodes. Its path differs from the path of a service's stream with the same name. */
export function nodeStream(...given: Parameters<typeof serviceStream>): Stream {
  const stream = serviceStream(...given)
  return { ...stream, path: `node/${stream.path}` }
}
