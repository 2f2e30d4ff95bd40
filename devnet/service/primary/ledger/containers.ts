import type { ContainerStore } from '../../../index/store.ts'

/** A container as a store holds it. */
export type ReadContainer = {
  readonly index: number
  readonly id: string
  readonly bytes: Uint8Array
  /** When the node accepted it, in Unix seconds. */
  readonly acceptedAt: number
}

type ContainerJson = { readonly id: string; readonly bytes: string; readonly timestamp: string }

const chunk = 512
const checksumBytes = 4

/** Yields the containers `[from, to)` of a store one after the other. */
export async function readContainers(
  store: ContainerStore,
  from: number,
  to: number,
  give: (container: ReadContainer) => void,
): Promise<void> {
  for (let start = from; start < to; start += chunk) {
    const text = (await store.texts(start, Math.min(to, start + chunk))).toString('latin1')
    const containers = JSON.parse(`[${text}]`) as ContainerJson[]
    containers.forEach(({ id, bytes, timestamp }, position) => {
      const whole = Buffer.from(bytes.slice(2), 'hex')
      give({
        index: start + position,
        id,
        bytes: whole.subarray(0, whole.length - checksumBytes),
        acceptedAt: Math.floor(Date.parse(timestamp) / 1000),
      })
    })
  }
}
