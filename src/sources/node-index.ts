import { containerId, plainContainerId } from '../../codec/containers.ts'
import { type FxOrder, fxOfId } from '../../codec/fxs.ts'
import { bytesOfCheckedHex, CheckedHexError, putChecksum, sha256 } from '../../codec/hash.ts'
import { idText } from '../../codec/ids.ts'
import { decodeExactly } from '../../codec/linear.ts'
import { signedPTx } from '../../codec/p.ts'
import type { Connection } from '../define/connection.ts'
import { nodeCall, type RangeSource } from '../define/index.ts'
import { ConfigError, DecodeError, type ErrorOptions, HttpError, RpcError, TransportError } from '../errors.ts'
import { type CallOptions, callRpc } from '../fetch/json-rpc.ts'
import { fieldOf, parseExactJson } from '../lib/json.ts'
import { createBufferPool } from '../lib/memory.ts'
import { rfc3339ToNs } from '../lib/time.ts'
import type { Container, HeightBlock } from '../model.ts'
import { askNode } from './node.ts'
import {
  askAgain,
  askWhatFits,
  createWindowSize,
  goodAnswerBytes,
  type LagOptions,
  maxAnswerBytes,
} from './window-size.ts'

/** `tries`: how often a request is sent while the answer is empty, ends before the head or does not verify. Default 4. */
type IndexApiOptions = LagOptions & {
  /** Number of concurrent windows; see `createWindowSize`. */
  readonly underWay?: number
}

type Wish = { readonly from: number; readonly count: number; readonly signal: AbortSignal | undefined }

/**
 * A node's index at `/ext/index/<path>`, such as `P/block` (specification 4.5). An answer is an array, or an object with the field
 * `containers`. Errors of the connection pass through.
 */
export function createIndexApi(connection: Connection, path: string, options: IndexApiOptions = {}) {
  const { tries = 4, waitMs = 500, underWay = 1 } = options
  // The answer is damaged, or the node seems to lag behind.
  const again = { tries, waitMs }
  const route = `/ext/index/${path}`
  const size = createWindowSize(underWay)
  // Bytes of containers are written into memory that is reused: enough for a few windows more than are under way.
  const slabs = createBufferPool({ count: underWay + 3, bytes: 2 * goodAnswerBytes })
  /** Slabs that hold containers. */
  const lent = new WeakSet<ArrayBufferLike>()

  /** An answer of the index, and the length of its text. */
  async function ask(
    method: string,
    params: object,
    options: CallOptions,
  ): Promise<{ result: unknown; bytes: number }> {
    let bytes = 0
    const parse = (text: string) => {
      bytes = text.length
      return parseExactJson(text)
    }
    const result = await callRpc(connection, route, method, { ...params, encoding: 'hex' }, { ...options, parse })
    return { result, bytes }
  }

  async function single(method: string, params: object, index: number | null, signal?: AbortSignal) {
    const attempt = async () => {
      const { result, bytes } = await ask(method, params, { signal })
      size.answered(1, bytes)
      return readContainer(result, { path, index }, Buffer.allocUnsafe(slabLength(result)), 0)
    }
    return await askAgain(attempt, again, signal)
  }

  /** The first of the requested containers: at least one, at most all. */
  async function range({ from, count, signal }: Wish, tries?: number): Promise<Container[]> {
    const { result, bytes } = await ask(
      'index.getContainerRange',
      { startIndex: from, numToFetch: count },
      { signal, tries, maxBytes: count > 1 ? maxAnswerBytes : undefined },
    ).catch((error: unknown) => {
      throw error instanceof RpcError && (error.kind === 'lagging' || isEmptyIndex(error))
        ? endsEarly(path, from, error.message)
        : error
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
      const expected = { path, index: from + position }
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
      ask: (count, tries) => askAgain(() => range({ ...wish, count }, tries), again, wish.signal),
    })
    return answered === null ? await rangeThatFits(wish) : answered.answer
  }

  return {
    /** The newest container (index.getLastAccepted); null if the node has accepted none. */
    async lastAccepted(signal?: AbortSignal): Promise<Container | null> {
      try {
        return await single('index.getLastAccepted', {}, null, signal)
      } catch (error) {
        if (isEmptyIndex(error)) return null
        throw error
      }
    },
    /** One container (index.getContainerByIndex). Throws `RpcError` if there is none at this index. */
    container: (index: number, signal?: AbortSignal): Promise<Container> =>
      single('index.getContainerByIndex', { index }, index, signal),
    /**
     * Exactly the containers `[from, to)` in order (index.getContainerRange, as often as needed). The node must have accepted all of them: an
     * answer that stays empty is an error. Verifies checksums and ids; throws `DecodeError` if they stay wrong.
     */
    async window(from: number, to: number, signal?: AbortSignal): Promise<Container[]> {
      const containers: Container[] = []
      while (from + containers.length < to) {
        const next = from + containers.length
        for (const container of await rangeThatFits({ from: next, count: to - next, signal }))
          containers.push(container)
      }
      return containers
    },
    /** Takes back the memory of containers from `window`: their bytes must not be used any more. */
    release(containers: readonly Container[]): void {
      for (const { bytes } of containers) {
        const slab = bytes.buffer as ArrayBuffer
        if (lent.delete(slab)) slabs.give(slab)
      }
    },
    /** Containers per request, 1 to 1024, so that an answer stays below 8 MiB. */
    windowSize: size.current,
  }
}

function listOf(answer: unknown, path: string): readonly unknown[] {
  if (Array.isArray(answer)) return answer
  const list = fieldOf(answer, 'containers')
  if (Array.isArray(list)) return list
  // Go writes a nil slice as null.
  if (answer === null || list === null) return []
  throw malformed(path, 'it is not a list of containers')
}

function isEmptyIndex(error: unknown): boolean {
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
    kind: 'lagging',
    details: { path },
    hint: 'Check that the URL is that of a node.',
  })
}

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
export function createIndexByHeight(api: ReturnType<typeof createIndexApi>, { path, heightOf }: Options) {
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

  async function newest(signal?: AbortSignal): Promise<Container | null> {
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
      // Another height, or an index that the node does not have.
      const isOfFirst = error instanceof TransportError && (error.kind === 'lagging' || error.kind === 'pruned')
      if (!isOfFirst) throw error
      await newest(signal)
      if (first === before) throw error
      return await attempt(first)
    }
  }

  return {
    ...api,
    lastAccepted: newest,
    async container(at: number, signal?: AbortSignal): Promise<Container> {
      const [container] = await read(at, async (by) => [await api.container(at - by, signal)], signal)
      return container!
    },
    window: (from: number, to: number, signal?: AbortSignal): Promise<Container[]> =>
      read(from, (by) => api.window(from - by, to - by, signal), signal),
    /** First height that the node has, as far as is known: 1 for a complete index. */
    first: (): number => first,
  }
}

function beforeFirst(path: string, at: number, first: number): TransportError {
  return new TransportError(`The index ${path} of the node begins at height ${first}: it does not have block ${at}.`, {
    code: 'index.incomplete',
    details: { path, height: at, 'first height': first },
    hint: 'Read the block from a node with a complete index. For the P and X chains you can also read it by height (--source rpc).',
  })
}

function misplaced(path: string, index: number, height: number, expected: number): TransportError {
  return new TransportError(`Container ${index} of ${path} holds block ${height} instead of block ${expected}.`, {
    code: 'index.incomplete',
    details: { path, index, height, 'height expected': expected },
    hint: 'The index of the node has gaps (--index-allow-incomplete), or nodes with different indexes answer behind the URL. Use one node with a complete index, or --source rpc for the P and X chains.',
  })
}

/** The container that a request expects. */
type Expected = {
  /** Path of the index, such as `P/block`. */
  readonly path: string
  /** Null if any index is accepted. */
  readonly index: number | null
}

const checksumBytes = 4
const derivedChecksum = Buffer.alloc(checksumBytes)

/**
 * Reads a container from an answer of the index API (specification 2.2) and verifies its checksum and id. Its bytes are written to `slab`,
 * which needs `slabLength(answer)` bytes from `offset` on. Throws `DecodeError`.
 */
function readContainer(answer: unknown, expected: Expected, slab: Buffer, offset: number): Container {
  if (typeof answer !== 'object' || answer === null) throw refused('is not an object', expected)
  const { id, bytes: hex, timestamp, index: stated, encoding } = answer as Readonly<Record<string, unknown>>
  const index = typeof stated === 'string' && /^\d{1,16}$/.test(stated) ? Number(stated) : stated
  if (
    typeof index !== 'number' ||
    !Number.isSafeInteger(index) ||
    (expected.index !== null && index !== expected.index)
  )
    throw refused('has another index than the requested one', expected, { 'index received': String(stated) })
  const at = { ...expected, index }
  if (typeof id !== 'string' || typeof timestamp !== 'string') throw refused('has no id or no timestamp', at)
  if (encoding !== undefined && String(encoding).toLowerCase() !== 'hex')
    throw refused('is not encoded as hex', at, { encoding: String(encoding) })
  const acceptedAtNs = rfc3339ToNs(timestamp)
  if (acceptedAtNs === null) throw refused('has an unreadable timestamp', at, { timestamp })
  // Its column holds the years 1678 to 2262. The zero time of Go is in the year 1.
  if (BigInt.asIntN(64, acceptedAtNs) !== acceptedAtNs) throw refused('has an impossible timestamp', at, { timestamp })
  const bytes = payload(hex, at, slab, offset)
  const derived = deriveId(bytes, at)
  if (derived !== id)
    throw refused('has bytes that do not match its id', at, {
      'id given': id,
      'id derived': derived,
      bytes: `0x${Buffer.from(bytes.subarray(0, 32)).toString('hex')}… (${bytes.length} bytes)`,
    })
  return { index, id, acceptedAtNs, bytes }
}

/** Number of bytes that `readContainer` writes to the slab. */
function slabLength(answer: unknown): number {
  const hex = fieldOf(answer, 'bytes')
  return typeof hex === 'string' ? hex.length >> 1 : 0
}

/** The bytes of the text `0x…` without the last four, which are the checksum: the end of the payload's sha256. */
function payload(hex: unknown, at: Expected, slab: Buffer, offset: number): Uint8Array {
  if (typeof hex !== 'string' || !hex.startsWith('0x')) throw refused('has bytes that are not hex text', at)
  const length = (hex.length - 2) / 2
  if (!Number.isInteger(length) || length <= checksumBytes)
    throw refused('has hex text with a wrong length', at, { digits: hex.length - 2 })
  // `write` stops silently at the first character that is not a hex digit: compare the count.
  const written = slab.write(hex.slice(2), offset, length, 'hex')
  if (written !== length) throw refused('has a character that is not a hex digit', at, { position: 2 + written * 2 })
  const end = offset + length - checksumBytes
  const bytes = new Uint8Array(slab.buffer, slab.byteOffset + offset, length - checksumBytes)
  putChecksum(bytes, derivedChecksum, 0)
  if (derivedChecksum.readUInt32BE(0) !== slab.readUInt32BE(end))
    throw refused('has a wrong checksum', at, {
      'checksum given': slab.toString('hex', end, end + checksumBytes),
      'checksum derived': derivedChecksum.toString('hex'),
    })
  return bytes
}

function deriveId(bytes: Uint8Array, at: Expected): string {
  try {
    return at.path.endsWith('/block') ? containerId(bytes) : plainContainerId(bytes)
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    throw refused('has bytes that are not a container', at, { cause: text }, cause)
  }
}

/** The error about a container that is not the expected one. */
function refused(
  what: string,
  { path, index }: Expected,
  details: Record<string, string | number> = {},
  cause?: unknown,
): DecodeError {
  const name = index === null ? `A container of ${path}` : `Container ${index} of ${path}`
  return new DecodeError(`${name} ${what}.`, {
    code: 'decode.container',
    kind: 'lagging',
    details: { path, index, ...details },
    hint: 'The answer was damaged in transit, or the index of the node is damaged: try another node.',
    cause,
  })
}

/** `tries`: how often a block is requested that the node does not seem to have yet. Default 4. */
type HeightRangeOptions = HeightsOf &
  LagOptions & {
    /** Number of concurrent windows. */
    readonly underWay: number
  }

/** Largest window in blocks: these paths accept no batches, so each block is one request. */
const mostTogether = 128

/**
 * Accepted blocks of the P or X chain by height (`platform` or `xvm`: `getHeight`, `getBlockByHeight` as hex), for nodes without an index.
 * The genesis block is left out, because no index holds it.
 */
export function createHeightRange(connection: Connection, options: HeightRangeOptions): RangeSource<HeightBlock> {
  const { chain, namespace, underWay, tries = 4, waitMs = 500 } = options
  const path = `/ext/bc/${chain}`
  const size = createWindowSize(underWay, mostTogether)

  async function block(height: number, signal: AbortSignal | undefined): Promise<HeightBlock> {
    const call = nodeCall(path, `${namespace}.getBlockByHeight`, { height: String(height), encoding: 'hex' })
    const parse = (answer: unknown) =>
      bytesIn(answer, 'block', `for ${chain} block ${height}`, { code: 'decode.block', kind: 'lagging' })
    const attempt = () =>
      askNode(connection, call, { parse, signal }).catch((error: unknown) => {
        const isMissing = error instanceof RpcError && /not found|no block|couldn't get block/i.test(error.answer)
        throw isMissing ? missingBlock(chain, height, error) : error
      })
    return { height, bytes: await askAgain(attempt, { tries, waitMs }, signal) }
  }

  let why = ''
  return {
    async head(signal) {
      try {
        const height = await readHeightOfNode(connection, { chain, namespace }, signal)
        if (height > 0) return height
        why = `The ${chain} chain of the node has no block after its genesis yet.`
      } catch (error) {
        // A node from before the linear X chain, or one with a chain that is not linear yet.
        if (!(error instanceof RpcError && /can't find method|not linearized/i.test(error.answer))) throw error
        why = `The ${chain} chain of the node is not linear yet (before Cortina), so it has no blocks.`
      }
      return null
    },
    whyEmpty: () => why,
    begins: () => ({ at: 1, notice: null }),
    windowSize: size.current,
    perRequest: 1,
    async window(from, to, signal) {
      const heights = Array.from({ length: to - from }, (_, at) => from + at)
      const blocks = await Promise.all(heights.map((height) => block(height, signal)))
      size.answered(
        blocks.length,
        blocks.reduce((sum, { bytes }) => sum + bytes.length * 2, 0),
      )
      return blocks
    },
    at: ({ height }) => height,
    bytes: ({ bytes }) => bytes.length,
  }
}

/** Times of single blocks or of several, where those that the node does not have count as missing. */
export function orMissing(times: Times): Times {
  return async (from, to, signal) => {
    try {
      return await times(from, to, signal)
    } catch (error) {
      if (!(error instanceof TransportError) || error.code !== 'transport.no-block') throw error
      if (to - from === 1) return ['missing']
      const single = Array.from({ length: to - from }, (_, at) => orMissing(times)(from + at, from + at + 1, signal))
      return (await Promise.all(single)).flat()
    }
  }
}

type Times = NonNullable<RangeSource<HeightBlock>['times']>

/** The bytes in a field of an answer. `what` names the answer in errors. */
function bytesIn(answer: unknown, field: string, what: string, of: Pick<ErrorOptions, 'code' | 'kind'>): Uint8Array {
  try {
    return bytesOfCheckedHex(fieldOf(answer, field))
  } catch (cause) {
    if (!(cause instanceof CheckedHexError)) throw cause
    throw new DecodeError(`The answer ${what} ${cause.message}.`, {
      ...of,
      hint: 'The answer was damaged in transit: run again, or try another node.',
      cause,
    })
  }
}

function missingBlock(chain: string, height: number, cause: RpcError): TransportError {
  return new TransportError(
    `The node does not return block ${height} of the ${chain} chain, although its head is higher.`,
    {
      code: 'transport.no-block',
      details: { answer: cause.answer },
      hint: 'Behind a load balancer one node may lag: use the URL of one node, or run again later.',
      cause,
    },
  )
}

/** A chain, and the namespace of its methods in the specification. */
type HeightsOf = {
  /** After `/ext/bc/`: an alias or a blockchain id. */
  readonly chain: string
  readonly namespace: 'platform' | 'xvm'
}

/**
 * The height of the last accepted block of the P or X chain (platform.getHeight, xvm.getHeight). Throws `TransportError` for an answer
 * without a height, and the errors of `askNode`.
 */
export function readHeightOfNode(
  connection: Connection,
  { chain, namespace }: HeightsOf,
  signal?: AbortSignal,
): Promise<number> {
  const question = nodeCall(`/ext/bc/${chain}`, `${namespace}.getHeight`)
  const parse = (answer: unknown) => readHeight(answer, chain)
  return askNode(connection, question, { parse, signal })
}

function readHeight(answer: unknown, chain: string): number {
  const text = String(fieldOf(answer, 'height') ?? '')
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new TransportError(`The node does not return the height of its ${chain} chain.`, {
    code: 'transport.unreadable',
    details: { answer: text.slice(0, 100) },
    hint: 'Check that the URL is that of a node.',
  })
}

/**
 * The feature extensions of a chain of the asset VM, in the order of its CreateChainTx. platform.getTx returns that transaction, because
 * its id is the id of the chain. Throws `ConfigError` if the node does not know the chain or the chain runs another VM, and `DecodeError`
 * if the bytes belong to another transaction.
 */
export async function readChainFxs(
  connection: Connection,
  blockchainId: string,
  signal?: AbortSignal,
): Promise<FxOrder> {
  const question = nodeCall('/ext/bc/P', 'platform.getTx', { txID: blockchainId, encoding: 'hex' })
  const parse = (answer: unknown) => transactionIn(answer, blockchainId)
  const { unsignedTx } = await askNode(connection, question, { parse, signal }).catch((cause: unknown) => {
    if (!(cause instanceof RpcError)) throw cause
    throw unknownChain(
      blockchainId,
      'The node does not return the transaction that created it (platform.getTx).',
      cause,
    )
  })
  if (unsignedTx.type !== 'CreateChainTx')
    throw unknownChain(
      blockchainId,
      `The transaction with that id is a ${unsignedTx.type}, which does not create a chain.`,
    )
  return fxOrder(blockchainId, unsignedTx.fxIDs.map(idText))
}

/** The feature extensions with these CB58 ids. Throws `ConfigError` if one of them is not of the asset VM, or if there are none. */
export function fxOrder(blockchainId: string, ids: readonly string[]): FxOrder {
  const order = ids.map((id) => {
    const fx = fxOfId(id)
    if (fx === null)
      throw unknownChain(blockchainId, `It has the feature extension ${id}, which the asset VM does not know.`)
    return fx
  })
  if (order.length === 0) throw unknownChain(blockchainId, 'It has no feature extensions, so it runs another VM.')
  return order
}

function transactionIn(answer: unknown, id: string) {
  const bytes = bytesIn(answer, 'tx', 'to platform.getTx', { code: 'decode.field' })
  const derived = idText(sha256(bytes))
  if (derived !== id)
    throw new DecodeError('The node answers platform.getTx with another transaction than the requested one.', {
      code: 'decode.field',
      details: { requested: id, received: derived },
      hint: 'Nothing was written. The answer was damaged in transit, or the node is wrong: try another node.',
    })
  return decodeExactly(signedPTx, bytes, 'tx')
}

function unknownChain(blockchainId: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError(
    `Cannot determine the types of chain ${blockchainId}, which follow from its CreateChainTx. ${why}`,
    {
      code: 'config.chain-fxs',
      details: { chain: blockchainId },
      hint: 'Give --chain the blockchain id of a chain of the asset VM, and a node that serves the P chain up to the block that created it.',
      cause,
    },
  )
}
