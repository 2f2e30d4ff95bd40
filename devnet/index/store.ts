import type { FaultKind } from '../faults.ts'

/**
 * Accepted containers of one index, as JSON text ready to send. The texts are concatenated with commas, so that a range of containers is
 * one slice.
 */
export type ContainerStore = {
  /** Number of containers that have been accepted so far. */
  count(): number
  /** JSON texts of the containers `[from, to)`, joined with commas; `to` is at most `count()`. */
  texts(from: number, to: number): Promise<Buffer>
  /** Index of a container by its CB58 id; null for an unknown id. */
  indexOf(id: string): number | null
}

type StoredContainer = {
  readonly id: string
  /** Hex with `0x` prefix and checksum. */
  readonly hex: string
  /** RFC 3339 with nanoseconds, as the node writes it. */
  readonly timestamp: string
}

/** The JSON text of a container with encoding `hex` (specification 2.2). */
export function containerText(container: StoredContainer, index: number): string {
  const { id, hex, timestamp } = container
  return `{"id":"${id}","bytes":"${hex}","timestamp":"${timestamp}","encoding":"hex","index":"${index}"}`
}

/** The same store for a node that indexed only the containers from `first` on: the container `first` has index 0 there. */
export function storeFrom(store: ContainerStore, first: number): ContainerStore {
  if (first === 0) return store
  return {
    count: () => Math.max(0, store.count() - first),
    async texts(from, to) {
      const texts = (await store.texts(from + first, to + first)).toString('latin1')
      return Buffer.from(
        texts.replace(/"index":"(\d+)"/g, (_, index) => `"index":"${Number(index) - first}"`),
        'latin1',
      )
    },
    indexOf(id) {
      const index = store.indexOf(id)
      return index === null || index < first ? null : index - first
    },
  }
}

/** The bytes of one container. */
export async function containerBytes(store: ContainerStore, index: number): Promise<Uint8Array> {
  const { bytes } = JSON.parse((await store.texts(index, index + 1)).toString('latin1')) as { bytes: string }
  // The text starts with 0x and ends with a checksum of 4 bytes.
  return Buffer.from(bytes.slice(2, -8), 'hex')
}

/** The number of containers and the id of the last one. For an empty store, the id is that of the block before the first container. */
export async function headOf(store: ContainerStore, before: string): Promise<{ height: number; id: string }> {
  const height = store.count()
  if (height === 0) return { height, id: before }
  const { id } = JSON.parse((await store.texts(height - 1, height)).toString('latin1')) as { id: string }
  return { height, id }
}

/** A store with all containers in memory, in index order. */
export function memoryStore(containers: readonly StoredContainer[]): ContainerStore {
  const texts = containers.map(containerText)
  const buffer = Buffer.from(texts.join(','), 'latin1')
  const starts = new Float64Array(texts.length + 1)
  texts.forEach((text, index) => {
    starts[index + 1] = starts[index]! + text.length + 1
  })
  const indexes = new Map(containers.map(({ id }, index) => [id, index]))
  return {
    count: () => texts.length,
    texts: async (from, to) => buffer.subarray(starts[from], starts[to]! - 1),
    indexOf: (id) => indexes.get(id) ?? null,
  }
}

/** The number of containers by which a fault lowers the head. */
const headStep = 7

/** The store as it appears under a fault of the source. */
export async function storeUnder(
  kind: FaultKind | null,
  store: ContainerStore,
  other: () => Promise<ContainerStore>,
): Promise<ContainerStore> {
  if (kind === 'empty') return { count: () => 0, texts: store.texts, indexOf: () => null }
  if (kind === 'moving-head')
    return { ...store, count: () => Math.max(Math.min(1, store.count()), store.count() - headStep) }
  if (kind === 'other-chain') return other()
  return store
}

/** The number of requested containers that a range returns. */
export function shortened(kind: FaultKind | null, containers: number): number {
  return kind === 'short-range' ? Math.max(1, Math.floor(containers / 2)) : containers
}
