import type { Stream } from '../../model.ts'

/** Values of parameters that are longer are cut in the middle. */
const longest = 24

/** The name of a stream for people, without its network: `rest-utxos/P, 64 addresses`. It counts the items of lists. */
export function shortName({ path, parameters }: Pick<Stream, 'path' | 'parameters'>): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
  return [path, ...sorted.map(([name, value]) => valueText(name, [value].flat()))].join(', ')
}

function valueText(parameter: string, items: readonly string[]): string {
  if (items.length > 1) return `${items.length} ${parameter}`
  const [value = ''] = items
  return `${parameter}=${value.length > longest ? `${value.slice(0, 10)}…${value.slice(-6)}` : value}`
}
