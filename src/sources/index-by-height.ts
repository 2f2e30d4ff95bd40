import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { Container } from '../model.ts'
import type { IndexApi } from './index-api.ts'

/** An index that is read by coordinates. */
type IndexByHeight = IndexApi & {
  /** First coordinate that the node has, as far as is known: 0 for a complete index. */
  first(): number
}

type Options = {
  readonly path: string
  /** The height of the block in a container; null if it cannot be read. */
  readonly heightOf: (bytes: Uint8Array) => bigint | null
}

/**
 * The containers of a block index by height − 1, which equals the index if the index is complete. So all nodes, and the blocks by height,
 * share one range. If the index of a node was enabled late (`--index-allow-incomplete`), it counts from its first block on, so each index
 * is smaller by an offset. The height of any container shows the offset: it is assumed to be 0 until the heights of an answer differ.
 */
export function createIndexByHeight(api: IndexApi, { path, heightOf }: Options): IndexByHeight {
  let offset = 0

  const heightIn = ({ bytes }: Container): number | null => {
    try {
      const height = heightOf(bytes)
      return height === null ? null : Number(height)
    } catch (error) {
      // The decoder of the block reports what is wrong with it.
      if (error instanceof DecodeError) return null
      throw error
    }
  }
  const placed = (container: Container, by: number): Container =>
    by === 0 ? container : { ...container, index: container.index + by }

  async function newest(signal: AbortSignal | undefined): Promise<Container | null> {
    const container = await api.lastAccepted(signal)
    if (container === null) return null
    const height = heightIn(container)
    // An index cannot have more containers than its chain has blocks; if the head claims so, reading it will fail.
    if (height !== null) offset = Math.max(0, height - 1 - container.index)
    return placed(container, offset)
  }

  /** Containers from a coordinate on; if the offset is wrong, reads the head of the index for the right one. */
  async function read(
    from: number,
    ask: (by: number) => Promise<readonly Container[]>,
    signal: AbortSignal | undefined,
  ): Promise<Container[]> {
    const attempt = async (by: number): Promise<Container[]> => {
      if (from < by) throw beforeFirst(path, from, by)
      const containers = (await ask(by)).map((container) => placed(container, by))
      // The parents of the containers in between are checked elsewhere.
      for (const container of [containers[0], containers.at(-1)]) {
        const height = container === undefined ? null : heightIn(container)
        if (container !== undefined && height !== null && height !== container.index + 1)
          throw misplaced(path, container.index - by, height, container.index + 1)
      }
      return containers
    }
    const before = offset
    try {
      return await attempt(before)
    } catch (error) {
      if (!isOfOffset(error)) throw error
      await newest(signal)
      if (offset === before) throw error
      return await attempt(offset)
    }
  }

  return {
    ...api,
    lastAccepted: newest,
    async container(at, signal) {
      const [container] = await read(at, async (by) => [await api.container(at - by, signal)], signal)
      return container!
    },
    window: (from, to, signal) => read(from, (by) => api.window(from - by, to - by, signal), signal),
    first: () => offset,
  }
}

/** Errors of a wrong offset: another height, or an index that the node does not have. */
function isOfOffset(error: unknown): boolean {
  if (error instanceof RpcError) return /no container at index/.test(error.message)
  return error instanceof TransportError && ['index.incomplete', 'index.ends-early'].includes(error.code)
}

function beforeFirst(path: string, at: number, first: number): TransportError {
  return new TransportError(
    `The index ${path} of the node begins at height ${first + 1}: it does not have block ${at + 1}.`,
    {
      code: 'index.incomplete',
      retryable: false,
      details: { path, height: at + 1, 'first height': first + 1 },
      hint: 'Read the block from a node with a complete index. For the P and X chains you can also read it by height (--source rpc).',
    },
  )
}

function misplaced(path: string, index: number, height: number, expected: number): TransportError {
  return new TransportError(`Container ${index} of ${path} holds block ${height} instead of block ${expected}.`, {
    code: 'index.incomplete',
    retryable: false,
    details: { path, index, height, 'height expected': expected },
    hint: 'The index of the node has gaps (--index-allow-incomplete), or nodes with different indexes answer behind the URL. Use one node with a complete index, or --source rpc for the P and X chains.',
  })
}
