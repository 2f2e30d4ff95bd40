/** Parts of a path by name, percent-decoded; null if the path does not match. */
type PathMatch = (path: string) => Readonly<Record<string, string>> | null

/** Matches paths of a template such as `/v1/chains/{chainId}/addresses/{address}/balances:listErc721`. */
export function pathTemplate(template: string): PathMatch {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const source = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)')
  const pattern = new RegExp(`^${source}$`)
  return (path) => {
    const match = pattern.exec(path.replaceAll('%3A', ':'))
    if (match === null) return null
    try {
      return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match[at + 1]!)]))
    } catch {
      // A path with broken percent-encoding matches no route.
      return null
    }
  }
}
