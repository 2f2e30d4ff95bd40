import type { ContainerStore } from './store.ts'

/** A container as its index stores it. */
export type ReadContainer = {
  readonly index: number
  readonly id: string
  readonly bytes: Uint8Array
  /** When the node accepted it, in Unix seconds. */
  readonly acceptedAt: number
}

/** Maximum number of containers in memory at once. */
const step = 256

/** Reads the containers `[from, to)` of a store one after the other. */
export async function readContainers(
  store: ContainerStore,
  from: number,
  to: number,
  give: (container: ReadContainer) => void,
): Promise<void> {
  for (let start = from; start < to; start += step) {
    const texts = await store.texts(start, Math.min(to, start + step))
    const found = JSON.parse(`[${texts.toString('latin1')}]`) as { id: string; bytes: string; timestamp: string }[]
    found.forEach(({ id, bytes, timestamp }, at) => {
      // The text starts with 0x and ends with a checksum of 4 bytes.
      const content = Buffer.from(bytes.slice(2, -8), 'hex')
      give({ index: start + at, id, bytes: content, acceptedAt: Math.floor(Date.parse(timestamp) / 1000) })
    })
  }
}

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
  const catchUp = (): Promise<void> =>
    readContainers(store, next, store.count(), (container) => {
      read(state, container)
      next = container.index + 1
    })
  return async () => {
    const done = reading.then(catchUp)
    reading = done.catch(() => {})
    await done
    return state
  }
}
