/** Values of parameters that are longer are cut in the middle. */
const longest = 24

/** The name of a stream for people, without its network: `rest-utxos/P, 64 addresses`. It counts the items of lists. */
export function shortName(stream: string): string {
  const [path = '', query] = stream.split(/\?(.*)/s)
  const name = path.slice(path.indexOf('/') + 1)
  if (query === undefined) return name
  const values = query.split('&').map((pair) => {
    const [parameter = '', value = ''] = pair.split(/=(.*)/s)
    return valueText(parameter, value)
  })
  return [name, ...values].join(', ')
}

function valueText(parameter: string, value: string): string {
  const [, others] = /\+(\d+):[0-9a-f]{16}$/.exec(value) ?? []
  if (others !== undefined) return `${Number(others) + 1} ${parameter}`
  const items = value.split(',')
  if (items.length > 1) return `${items.length} ${parameter}`
  return `${parameter}=${value.length > longest ? `${value.slice(0, 10)}…${value.slice(-6)}` : value}`
}
