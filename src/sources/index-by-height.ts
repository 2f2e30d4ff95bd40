import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { Container } from '../model.ts'
import type { IndexApi } from './index-api.ts'

/** An index of blocks that is read by height. */
type IndexByHeight = IndexApi & {
  /** First height that the node has, as far as is known: 1 for a complete index. */
  first(): number
}

type Options = {
  readonly path: string
  /** The height of the block in a container; null if it cannot be read. */
  readonly heightOf: (bytes: Uint8Array) => bigint | null
}

/**
 * The containers of a block index by height, which is the index + 1 if the index is complete: it does not hold the genesis block. If the
 * index of a node was enabled late (`--index-allow-incomplete`), it counts from its first block on. The height of any container shows its
 * first height: it is assumed to be 1 until the heights of an answer differ. The containers get the index that a complete index gives them.
 */
export function createIndexByHeight(api: IndexApi, { path, heightOf }: Options): IndexByHeight {
  let first = 1

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
    by === 1 ? container : { ...container, index: container.index + by - 1 }

  async function newest(signal: AbortSignal | undefined): Promise<Container | null> {
    const container = await api.lastAccepted(signal)
    if (container === null) return null
    const height = heightIn(container)
    // An index cannot have more containers than its chain has blocks; if the head claims so, reading it will fail.
    if (height !== null) first = Math.max(1, height - container.index)
    return placed(container, first)
  }

  /** Containers from a height on; if the first height is wrong, reads the head of the index for the right one. */
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
          throw misplaced(path, container.index + 1 - by, height, container.index + 1)
      }
      return containers
    }
    const before = first
    try {
      return await attempt(before)
    } catch (error) {
      if (!isOfFirst(error)) throw error
      await newest(signal)
      if (first === before) throw error
      return await attempt(first)
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
    first: () => first,
  }
}

/** Errors of a wrong first height: another height, or an index that the node does not have. */
function isOfFirst(error: unknown): boolean {
  if (error instanceof RpcError) return /no container at index/.test(error.message)
  return error instanceof TransportError && ['index.incomplete', 'index.ends-early'].includes(error.code)
}

function beforeFirst(path: string, at: number, first: number): TransportError {
  return new TransportError(`The index ${path} of the node begins at height ${first}: it does not have block ${at}.`, {
    code: 'index.incomplete',
    retryable: false,
    details: { path, height: at, 'first height': first },
    hint: 'Read the block from a node with a complete index. For the P and X chains you can also read it by height (--source rpc).',
  })
}

function misplaced(path: string, index: number, height: number, expected: number): TransportError {
  return new TransportError(`Container ${index} of ${path} holds block ${height} instead of block ${expected}.`, {
    code: 'index.incomplete',
    retryable: false,
    details: { path, index, height, 'height expected': expected },
    hint: 'The index of the node has gaps (--index-allow-incomplete), or nodes with different indexes answer behind the URL. Use one node with a complete index, or --source rpc for the P and X chains.',
  })
}
