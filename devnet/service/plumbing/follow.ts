import type { ContainerStore } from '../../index/store.ts'

/** A container as its index stores it. */
export type ReadContainer = {
  readonly index: number
  readonly id: string
  readonly bytes: Uint8Array
}

/** Maximum number of containers in memory at once. */
const step = 256

/**
 * A value computed from the containers of an index, extended as the index grows: `read` is called once for each container, in order.
 * Concurrent calls wait for the same reading.
 */
export function createFollower<S>(
  store: ContainerStore,
  state: S,
  read: (state: S, container: ReadContainer) => void,
): () => Promise<S> {
  let next = 0
  let reading: Promise<unknown> = Promise.resolve()
  const catchUp = async (): Promise<void> => {
    const end = store.count()
    while (next < end) {
      for (const container of await readStep(store, next, Math.min(end, next + step))) {
        read(state, container)
        next = container.index + 1
      }
    }
  }
  return async () => {
    const done = reading.then(catchUp)
    reading = done.catch(() => {})
    await done
    return state
  }
}

async function readStep(store: ContainerStore, from: number, to: number): Promise<ReadContainer[]> {
  const texts = await store.texts(from, to)
  const found = JSON.parse(`[${texts.toString('latin1')}]`) as { id: string; bytes: string }[]
  // The text starts with 0x and ends with a checksum of 4 bytes.
  return found.map(({ id, bytes }, at) => ({ index: from + at, id, bytes: Buffer.from(bytes.slice(2, -8), 'hex') }))
}
