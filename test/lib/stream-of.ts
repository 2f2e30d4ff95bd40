import type { StreamFacts } from '../../src/catalog/catalog.ts'
import { undeclared } from '../../src/catalog/streams.ts'
import type { Stream } from '../../src/model.ts'

/** The stream with a text, such as `fuji/tps/1?interval=day`, for examples that name streams as people do. */
export function streamOf(text: string, chain?: string): Stream & { readonly stream: string } {
  const [id = '', query] = text.split(/\?(.*)/s)
  const [network = '', path = ''] = id.split(/\/(.*)/s)
  const pairs = query?.split('&').map((pair): [string, string] => {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    return [name, value]
  })
  const parameters = Object.fromEntries(pairs ?? [])
  const kind = /\/(block|tx|vtx)$/.exec(path)?.[1] ?? path.split('/')[0]
  return { stream: text, network, path, kind, chain, parameters }
}

/** What the catalog has of a stream that no run declared, and more facts. */
export function factsOfStream(text: string, more: Partial<StreamFacts> = {}): StreamFacts {
  return { ...streamOf(text), ...undeclared, ...more }
}

export function byText<S extends { readonly stream: string }>(...streams: readonly S[]): ReadonlyMap<string, S> {
  return new Map(streams.map((each) => [each.stream, each]))
}
