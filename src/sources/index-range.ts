import type { Connection } from '../define/connection.ts'
import type { RangeSource } from '../define/index.ts'
import { HttpError } from '../errors.ts'
import type { Container } from '../model.ts'
import { createIndexApi } from './index-api.ts'
import { createIndexByHeight } from './index-by-height.ts'

type IndexRangeOptions = {
  /** Such as `P/block`. */
  readonly path: string
  /** The last part of the path of the index that nodes had before this one. */
  readonly precededBy?: string
  /** A sentence that explains an empty index. */
  readonly whenEmpty?: string
  readonly parentOf: (bytes: Uint8Array) => string | null
  /** The height of the block in a container. Without it the coordinates are those of the index, and an incomplete one looks complete. */
  readonly heightOf?: (bytes: Uint8Array) => bigint | null
  /** A sentence that says how to read what is missing in an incomplete index. */
  readonly whenIncomplete?: string
  /** Number of concurrent windows. */
  readonly underWay: number
}

/** The containers of an index as a range; all of them are final. The coordinate of a block is its height. */
export function createIndexRange(connection: Connection, options: IndexRangeOptions): RangeSource<Container> {
  const { path, precededBy, whenEmpty, parentOf, heightOf, whenIncomplete, underWay } = options
  const plain = createIndexApi(connection, path, { underWay })
  const api = heightOf === undefined ? { ...plain, first: () => 0 } : createIndexByHeight(plain, { path, heightOf })
  const at = ({ index }: Container) => (heightOf === undefined ? index : index + 1)
  let why = ''
  return {
    /** An empty index is not a failure, and neither is an older node that only has the index that came before this one. */
    async head(signal) {
      try {
        const newest = await api.lastAccepted(signal)
        if (newest !== null) return at(newest)
        why = `The index ${path} of the node is empty: no containers have been accepted.`
        if (whenEmpty !== undefined) why = `${why} ${whenEmpty}`
      } catch (error) {
        const older = precededBy === undefined ? null : path.replace(/[^/]*$/, precededBy)
        if (!isMissing(error) || older === null || !(await answers(connection, older, signal))) throw error
        why = `The node has the index ${older} but no ${path}: it is from before the linear X chain, so it has no blocks there.`
      }
      return null
    },
    whyEmpty: () => why,
    begins() {
      const first = api.first()
      if (first <= 1) return { at: first, notice: null }
      const notice = `The index ${path} of the node begins at height ${first} (--index-allow-incomplete): it does not have blocks 1 to ${first - 1}.`
      return { at: first, notice: whenIncomplete === undefined ? notice : `${notice} ${whenIncomplete}` }
    },
    windowSize: api.windowSize,
    window: api.window,
    one: api.container,
    link: ({ id, bytes }) => ({ id, parentId: parentOf(bytes) }),
    at,
    bytes: ({ bytes }) => bytes.length,
    release: api.release,
  }
}

async function answers(connection: Connection, path: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await createIndexApi(connection, path).lastAccepted(signal)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404
}
