import type { RangeSource } from '../define/index.ts'
import { HttpError } from '../errors.ts'
import type { Transport } from '../fetch/transport.ts'
import type { Container } from '../model.ts'
import { createIndexApi } from './index-api.ts'

export type IndexRangeOptions = {
  /** Such as `P/block`. */
  readonly path: string
  /** The last part of the path of an index that nodes had before they had this one. */
  readonly precededBy?: string
  /** What it means when the index is empty, as a sentence. */
  readonly whenEmpty?: string
  readonly parentOf: (bytes: Uint8Array) => string | null
  /** Windows that may be asked for at the same time. */
  readonly underWay: number
}

/** The containers of an index as a range: coordinates are container indices, all accepted ones are final. */
export function createIndexRange(transport: Transport, options: IndexRangeOptions): RangeSource<Container> {
  const { path, precededBy, whenEmpty, parentOf, underWay } = options
  const api = createIndexApi(transport, path, { underWay })
  let why = ''
  return {
    /** An empty index is no failure, and neither is a node of before the index: one that answers for the index that came before. */
    async head(signal) {
      try {
        const newest = await api.lastAccepted(signal)
        if (newest !== null) return newest.index
        why = `The index ${path} of the node is empty: no containers have been accepted.`
        if (whenEmpty !== undefined) why = `${why} ${whenEmpty}`
      } catch (error) {
        const older = precededBy === undefined ? null : path.replace(/[^/]*$/, precededBy)
        if (!isMissing(error) || older === null || !(await answers(transport, older, signal))) throw error
        why = `The node has the index ${older} but no ${path}: it is of before the linear chain, which has no blocks there.`
      }
      return null
    },
    whyEmpty: () => why,
    windowSize: api.windowSize,
    window: api.window,
    one: api.container,
    link: ({ id, bytes }) => ({ id, parentId: parentOf(bytes) }),
    at: ({ index }) => index,
    bytes: ({ bytes }) => bytes.length,
    release: api.release,
  }
}

async function answers(transport: Transport, path: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await createIndexApi(transport, path).lastAccepted(signal)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404
}
