import type { ContainerStore } from '../../index/store.ts'

/** A container as its index holds it. */
export type ReadContainer = {
  readonly index: number
  readonly id: string
  readonly bytes: Uint8Array
}

/** How many containers are in memory at once. */
const step = 256

/**
 * What comes out of the containers of an index, extended as it grows: `read` is called with each container once, in order. Calls
 * that come together wait for the same reading.
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
  // 0x in front and a checksum of four bytes at the end.
  return found.map(({ id, bytes }, at) => ({ index: from + at, id, bytes: Buffer.from(bytes.slice(2, -8), 'hex') }))
}
