/**
 * Accepted containers of one index, as JSON text ready to be sent. The texts lie side by side, separated by commas, so
 * that a range is one slice.
 */
export type ContainerStore = {
  /** How many containers have been accepted by now. */
  count(): number
  /** JSON texts of the containers `[from, to)`, joined with commas; `to` is at most `count()`. */
  texts(from: number, to: number): Promise<Buffer>
  /** Index of a container by its CB58 id; null when there is none. */
  indexOf(id: string): number | null
}

export type StoredContainer = {
  readonly id: string
  /** `0x` and hex, with the checksum. */
  readonly hex: string
  /** RFC 3339 with nanoseconds, as the node writes it. */
  readonly timestamp: string
}

/** The JSON text of a container in encoding `hex` (specification 2.2). */
export function containerText(container: StoredContainer, index: number): string {
  const { id, hex, timestamp } = container
  return `{"id":"${id}","bytes":"${hex}","timestamp":"${timestamp}","encoding":"hex","index":"${index}"}`
}

/** The same store for a node that indexed its containers only from the one at `first` on: that one is its index 0. */
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
  // 0x in front and a checksum of four bytes at the end.
  return Buffer.from(bytes.slice(2, -8), 'hex')
}

/** How many containers there are and the id of the last; of an empty store the id of the block before the first. */
export async function headOf(store: ContainerStore, before: string): Promise<{ height: number; id: string }> {
  const height = store.count()
  if (height === 0) return { height, id: before }
  const { id } = JSON.parse((await store.texts(height - 1, height)).toString('latin1')) as { id: string }
  return { height, id }
}

/** A store of containers that are all in memory, in the order of their index. */
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
