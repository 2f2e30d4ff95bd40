import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { Container } from '../model.ts'
import type { IndexApi } from './index-api.ts'

/** An index whose containers are asked for, and given, by their coordinates. */
export type IndexByHeight = IndexApi & {
  /** First coordinate that the node has, as far as it has been asked: 0 of a complete index. */
  first(): number
}

type Options = {
  readonly path: string
  /** The height of the block in a container; null where there is none that could be read. */
  readonly heightOf: (bytes: Uint8Array) => bigint | null
}

/**
 * The containers of an index of blocks by height − 1, which in a complete index is the index: so every node, and the blocks by height,
 * share one range. A node whose index was switched on late (`--index-allow-incomplete`) counts from its first block on: there the index
 * is smaller by an offset. The offset follows from the height of any container, so that nobody has to be asked for it: it is taken to be
 * 0 until the heights of an answer say otherwise.
 */
export function createIndexByHeight(api: IndexApi, { path, heightOf }: Options): IndexByHeight {
  let offset = 0

  const heightIn = ({ bytes }: Container): number | null => {
    try {
      const height = heightOf(bytes)
      return height === null ? null : Number(height)
    } catch (error) {
      // Whoever decodes the block says what is wrong with it.
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
    // An index has no more containers than its chain has blocks: a head that claims so is none, which shows when it is read.
    if (height !== null) offset = Math.max(0, height - 1 - container.index)
    return placed(container, offset)
  }

  /** Containers from a coordinate on; of a wrong offset the node is asked for the right one. */
  async function read(
    from: number,
    ask: (by: number) => Promise<readonly Container[]>,
    signal: AbortSignal | undefined,
  ): Promise<Container[]> {
    const attempt = async (by: number): Promise<Container[]> => {
      if (from < by) throw beforeFirst(path, from, by)
      const containers = (await ask(by)).map((container) => placed(container, by))
      // Those between follow by their parents.
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

/** What a wrong offset looks like: another height, or an index that the node does not have. */
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
      hint: 'Read the block from a node with a complete index, or, of the P and X chains, by its height (--source rpc).',
    },
  )
}

function misplaced(path: string, index: number, height: number, expected: number): TransportError {
  return new TransportError(`Container ${index} of ${path} holds block ${height} instead of block ${expected}.`, {
    code: 'index.incomplete',
    retryable: false,
    details: { path, index, height, 'height expected': expected },
    hint: 'The index of the node misses blocks in between (--index-allow-incomplete), or nodes with different indexes answer behind the URL. Use one node with a complete index, or, of the P and X chains, --source rpc.',
  })
}
