import { containerId, plainContainerId } from '../../codec/container-id.ts'
import type { Connection } from '../define/connection.ts'
import { DecodeError, RpcError, TransportError } from '../errors.ts'
import { type CallOptions, callRpc } from '../fetch/json-rpc.ts'
import { createBufferPool } from '../lib/buffer-pool.ts'
import { parseFastJson } from '../lib/text/json.ts'
import type { Container } from '../model.ts'
import { askAgain } from './ask-again.ts'
import { readContainer, refused, slabLength } from './container-answer.ts'
import { askWhatFits, createWindowSize, goodAnswerBytes, maxAnswerBytes } from './window-size.ts'

export type IndexApi = {
  /** The newest container (index.getLastAccepted); null if the node has accepted none. */
  lastAccepted(signal?: AbortSignal): Promise<Container | null>
  /** One container (index.getContainerByIndex). Throws `RpcError` if there is none at this index. */
  container(index: number, signal?: AbortSignal): Promise<Container>
  /**
   * Exactly the containers `[from, to)` in order (index.getContainerRange, as often as needed). The node must have accepted all of them: an
   * answer that stays empty is an error. Verifies checksums and ids; throws `DecodeError` if they stay wrong.
   */
  window(from: number, to: number, signal?: AbortSignal): Promise<Container[]>
  /** Takes back the memory of containers from `window`: their bytes must not be used any more. */
  release(containers: readonly Container[]): void
  /** Containers per request, 1 to 1024, so that an answer stays below 8 MiB. */
  windowSize(): number
}

type IndexApiOptions = {
  /** Derives the id of a container from its bytes. Default: according to the last part of the path. */
  readonly deriveId?: (bytes: Uint8Array) => string
  /** How often a request is sent while the answer is empty, ends before the head or does not verify. Default 4. */
  readonly tries?: number
  /** Number of concurrent windows; see `createWindowSize`. */
  readonly underWay?: number
  /** Bound of the wait before the second of these tries; it doubles. Default 500 ms. */
  readonly waitMs?: number
}

type Wish = { readonly from: number; readonly count: number; readonly signal: AbortSignal | undefined }

/**
 * A node's index at `/ext/index/<path>`, such as `P/block` (specification 4.5). An answer is an array, or an object with the field
 * `containers`. Errors of the connection pass through.
 */
export function createIndexApi(connection: Connection, path: string, options: IndexApiOptions = {}): IndexApi {
  const {
    deriveId = path.endsWith('/block') ? containerId : plainContainerId,
    tries = 4,
    waitMs = 500,
    underWay = 1,
  } = options
  const route = `/ext/index/${path}`
  const size = createWindowSize(underWay)
  // Bytes of containers are written into memory that is reused: enough for a few windows more than are under way.
  const slabs = createBufferPool({ count: underWay + 3, bytes: 2 * goodAnswerBytes })
  /** Slabs that hold containers. */
  const lent = new WeakSet<ArrayBufferLike>()

  /** Retries an attempt if the answer is damaged or the node seems to lag behind. */
  function verified<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return askAgain(attempt, { isTransient, tries, waitMs }, signal)
  }

  /** An answer of the index, which holds no large bare integer, and the length of its text. */
  async function ask(
    method: string,
    params: object,
    options: CallOptions,
  ): Promise<{ result: unknown; bytes: number }> {
    let bytes = 0
    const parse = (text: string) => {
      bytes = text.length
      return parseFastJson(text)
    }
    const result = await callRpc(connection, route, method, { ...params, encoding: 'hex' }, { ...options, parse })
    return { result, bytes }
  }

  async function single(method: string, params: object, index: number | null, signal?: AbortSignal) {
    return await verified(async () => {
      const { result, bytes } = await ask(method, params, signal === undefined ? {} : { signal })
      size.answered(1, bytes)
      return readContainer(result, { path, index, deriveId }, Buffer.allocUnsafe(slabLength(result)), 0)
    }, signal)
  }

  /** The first of the requested containers: at least one, at most all. */
  async function range({ from, count, signal }: Wish, tries?: number): Promise<Container[]> {
    const { result, bytes } = await ask(
      'index.getContainerRange',
      { startIndex: from, numToFetch: count },
      {
        ...(count > 1 ? { maxBytes: maxAnswerBytes } : {}),
        ...(signal === undefined ? {} : { signal }),
        ...(tries === undefined ? {} : { tries }),
      },
    ).catch((error: unknown) => {
      throw isBeyondHead(error) || isEmptyIndex(error) ? endsEarly(path, from, error.message) : error
    })
    const list = listOf(result, path)
    if (list.length === 0) throw endsEarly(path, from, 'the answer is empty')
    if (list.length > count) throw malformed(path, `it has ${list.length} containers instead of ${count}`)
    size.answered(list.length, bytes)
    const slab = Buffer.from(slabs.take(list.reduce((sum: number, entry) => sum + slabLength(entry), 0)))
    lent.add(slab.buffer)
    let offset = 0
    const ids = new Set<string>()
    return list.map((entry, position) => {
      const expected = { path, index: from + position, deriveId }
      const container = readContainer(entry, expected, slab, offset)
      offset += slabLength(entry)
      // Transactions and vertices name no predecessor, so no later check detects it.
      if (ids.has(container.id)) throw refused('is also at an earlier index', expected, { id: container.id })
      ids.add(container.id)
      return container
    })
  }

  async function rangeThatFits(wish: Wish): Promise<Container[]> {
    const answered = await askWhatFits({
      size,
      count: Math.min(wish.count, size.current()),
      ask: (count, tries) => verified(() => range({ ...wish, count }, tries), wish.signal),
    })
    return answered === null ? await rangeThatFits(wish) : answered.answer
  }

  return {
    async lastAccepted(signal) {
      try {
        return await single('index.getLastAccepted', {}, null, signal)
      } catch (error) {
        if (isEmptyIndex(error)) return null
        throw error
      }
    },
    async container(index, signal) {
      return await single('index.getContainerByIndex', { index }, index, signal)
    },
    async window(from, to, signal) {
      const containers: Container[] = []
      while (from + containers.length < to) {
        const next = from + containers.length
        for (const container of await rangeThatFits({ from: next, count: to - next, signal }))
          containers.push(container)
      }
      return containers
    },
    release(containers) {
      for (const { bytes } of containers) {
        const slab = bytes.buffer as ArrayBuffer
        if (lent.delete(slab)) slabs.give(slab)
      }
    },
    windowSize: () => size.current(),
  }
}

function listOf(answer: unknown, path: string): readonly unknown[] {
  if (Array.isArray(answer)) return answer
  const list = typeof answer === 'object' && answer !== null && 'containers' in answer ? answer.containers : undefined
  if (Array.isArray(list)) return list
  // Go writes a nil slice as null.
  if (answer === null || list === null) return []
  throw malformed(path, 'it is not a list of containers')
}

/** The answer was damaged in transit, or this node lags behind the node that stated the head: a retry may succeed. */
function isTransient(error: unknown): boolean {
  if (error instanceof DecodeError || isBeyondHead(error)) return true
  return error instanceof TransportError && error.code === 'index.ends-early'
}

function isBeyondHead(error: unknown): error is RpcError {
  return error instanceof RpcError && /start index .* > last accepted|no container at index/.test(error.message)
}

function isEmptyIndex(error: unknown): error is RpcError {
  return error instanceof RpcError && /no containers have been accepted/.test(error.message)
}

function endsEarly(path: string, index: number, why: string): TransportError {
  return new TransportError(`The index ${path} has no container ${index}, although its head is higher: ${why}.`, {
    code: 'index.ends-early',
    details: { path, index },
    hint: 'Behind a load balancer one node may lag: use the URL of one node, or run again later.',
  })
}

function malformed(path: string, why: string): DecodeError {
  return new DecodeError(`The answer to index.getContainerRange of ${path} is not usable: ${why}.`, {
    code: 'decode.container',
    details: { path },
    hint: 'Check that the URL is that of a node.',
  })
}
