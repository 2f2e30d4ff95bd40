import { DefinitionError } from '../errors.ts'

/** How a source is traversed: inert data that `plan/` and `run/` read. */

/** `index.getContainerRange` over `[0, last accepted]`; coverage is in container indices. */
export type ContainerRange = { readonly kind: 'containerRange'; readonly unit: number }

export type Walk = ContainerRange

/** Containers per commit. Encoders hold part of a unit: twice as many take 60 MB more and are no faster. */
export const usualUnit = 32_768

export function containerRange(): ContainerRange {
  return { kind: 'containerRange', unit: usualUnit }
}

/** A node's index, as in `/ext/index/<path>`. */
export type IndexSource = {
  readonly kind: 'index'
  /** `P/block`, `X/block`, `C/block`, `X/tx`, `X/vtx`. */
  readonly path: string
  /** Alias of the chain: the part of the path before the slash. */
  readonly chain: string
  /** `block`, `tx` or `vtx`: the part of the path after the slash. */
  readonly index: string
  /** Whose order the containers have: the chain's, the same at every node, or the node's own. */
  readonly order: 'chain' | 'node'
  /** Whether other chains that run the same virtual machine may be asked for by their blockchain id. */
  readonly instances: boolean
  /** An index that nodes had before they had this one: a node that offers only that one is too old. */
  readonly precededBy: string | null
  /** What it means when the index is empty, as a sentence; null: nothing special. */
  readonly whenEmpty: string | null
}

export type Source = IndexSource

type IndexOptions = { path: string } & Partial<Pick<IndexSource, 'order' | 'instances' | 'precededBy' | 'whenEmpty'>>

/** The containers of an index; by default in the order of the chain, for this chain only. */
export function indexContainers(options: IndexOptions): IndexSource {
  const [chain, index] = options.path.split('/')
  if (chain === undefined || index === undefined)
    throw new DefinitionError(`Index path ${JSON.stringify(options.path)} is not <chain>/<index>.`)
  return {
    kind: 'index',
    chain,
    index,
    order: 'chain',
    instances: false,
    precededBy: null,
    whenEmpty: null,
    ...options,
  }
}
