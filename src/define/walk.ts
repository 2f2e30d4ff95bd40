/** How a source is traversed: inert data that `plan/` and `run/` read. */

/** `index.getContainerRange` over `[0, last accepted]`; coverage is in container indices. */
export type ContainerRange = { readonly kind: 'containerRange'; readonly unit: number }

export type Walk = ContainerRange

/** `unit`: containers per commit. */
export function containerRange(options: { unit: number }): ContainerRange {
  return { kind: 'containerRange', unit: options.unit }
}

/** A node's index, as in `/ext/index/<path>`. */
export type IndexSource = {
  readonly kind: 'index'
  /** `P/block`, `X/block`, `C/block`, `X/tx`, `X/vtx`. */
  readonly path: string
  /** Alias or blockchain id of the chain: the part of the path before the slash. */
  readonly chain: string
}

export type Source = IndexSource

export function indexContainers(options: { path: string }): IndexSource {
  return { kind: 'index', path: options.path, chain: options.path.split('/')[0] ?? options.path }
}
