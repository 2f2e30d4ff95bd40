import { hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { putChecksum } from '../../codec/hash.ts'
import { decodeCb58, idText } from '../../codec/ids.ts'
import { CacheError } from '../errors.ts'
import { type ContainerStore, containerText } from '../index/store.ts'
import { hexOf } from '../lib.ts'
import type { GeneratedContainer } from '../network/container.ts'
import type { CreatedChain } from '../p/state.ts'
import { createNetwork, generatorVersion, type IndexPath, indexPaths, type NetworkSettings } from './network.ts'

/** A simulated network with chains that grow at the same pace. */
export type GrowingNetwork = {
  readonly stores: Readonly<Record<IndexPath, ContainerStore>>
  /** Blockchains that the P-Chain has created up to the head. */
  created(): readonly CreatedChain[]
  /**
   * Accepts this many more P-Chain containers, and the matching ones of the other chains. Returns the total number of P-Chain containers.
   */
  grow(containers: number): Promise<number>
  /** Calls the listener after each growth, with the number of P-Chain containers before and after; returns a function that stops this. */
  onGrowth(listener: (from: number, to: number) => void): () => void
  /** Adds an atomic transaction with these bytes to the next block of the C-Chain. */
  issue(tx: Uint8Array): void
  /** Transactions that clients have issued and that no block includes yet. */
  pending(): readonly Uint8Array[]
  close(): Promise<void>
}

type GrowthSettings = NetworkSettings & {
  readonly cacheDir: string
  /** Number of P-Chain containers that are accepted from the start. */
  readonly accepted: number
  readonly onProgress?: Progress
}

/** Steps that are generated beyond the head, so that the head can move. */
const spare = 1_024

/** Opens the network of a seed. When the head reaches the end of the generated chains, longer chains are generated. */
export async function openGrowingNetwork(settings: GrowthSettings): Promise<GrowingNetwork> {
  const { cacheDir, accepted, onProgress } = settings
  let network = await cachedNetwork(cacheDir, settings, accepted + spare, onProgress)
  let pending: Uint8Array[] = []
  let issued: NonNullable<NetworkSettings['issued']> = []
  let steps = accepted
  let reading = 0
  const retired: CachedNetwork[] = []
  const listeners = new Set<(from: number, to: number) => void>()
  const extendTo = async (wanted: number): Promise<void> => {
    if (wanted > network.steps) await replace(Math.ceil(wanted * 1.5) + spare)
  }
  const replace = async (wanted: number): Promise<void> => {
    const other = await cachedNetwork(cacheDir, { ...settings, issued }, wanted)
    if (reading === 0) await network.close()
    else retired.push(network)
    network = other
  }
  /** Includes the issued transactions: from the next step on, the network is replaced by one that contains them. */
  const takeIn = async (containers: number): Promise<void> => {
    if (pending.length === 0 || containers === 0) return
    const txs = pending.map((tx) => Buffer.from(tx).toString('hex'))
    issued = [...issued, { step: steps + 1, txs }]
    await replace(steps + containers + spare)
    pending = pending.slice(txs.length)
  }
  const storeOf = (path: IndexPath): ContainerStore => ({
    count: () => network.indexes[path].countAt(steps),
    texts: async (from, to) => {
      reading += 1
      try {
        return await network.indexes[path].texts(from, to)
      } finally {
        reading -= 1
      }
    },
    indexOf: (id) => network.indexes[path].indexOf(id),
  })
  let growth: Promise<unknown> = Promise.resolve()
  return {
    stores: Object.fromEntries(indexPaths.map((path) => [path, storeOf(path)])) as Record<IndexPath, ContainerStore>,
    created: () => network.created.filter(({ height }) => height <= steps),
    grow: (containers) => {
      const grown = growth.then(async () => {
        await takeIn(containers)
        await extendTo(steps + containers)
        steps += containers
        for (const listener of listeners) listener(steps - containers, steps)
        return steps
      })
      growth = grown.catch(() => {})
      return grown
    },
    onGrowth: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    issue: (tx) => {
      pending.push(tx)
    },
    pending: () => pending,
    close: async () => {
      await growth
      await Promise.all([network, ...retired].map((each) => each.close()))
    },
  }
}

/** The default folder for generated networks. */
export const defaultCacheDir = join(tmpdir(), 'chainlake-devnet')

/** A generated network with its number of steps. */
type CachedNetwork = {
  readonly steps: number
  readonly created: readonly CreatedChain[]
  readonly indexes: Readonly<Record<IndexPath, IndexFile>>
  close(): Promise<void>
}

/**
 * Returns a network with at least this many steps. A longer network in the cache is also usable, because it starts with the same
 * containers. If the cache has none, the network is generated into it.
 */
async function cachedNetwork(
  cacheDir: string,
  settings: NetworkSettings,
  steps: number,
  onProgress: Progress = () => {},
): Promise<CachedNetwork> {
  const found = findCached(cacheDir, settings, steps)
  if (found !== null) return openNetwork(cacheDir, settings, found)
  await writeNetwork(join(cacheDir, folderName(settings, steps)), settings, steps, onProgress)
  return openNetwork(cacheDir, settings, steps)
}

async function openNetwork(cacheDir: string, settings: NetworkSettings, steps: number): Promise<CachedNetwork> {
  const folder = join(cacheDir, folderName(settings, steps))
  const opened = await Promise.all(
    indexPaths.map(async (path) => [path, await openIndexFile(join(folder, indexFile(path)))] as const),
  )
  return {
    steps,
    created: JSON.parse(readFileSync(join(folder, createdFile), 'utf8')) as CreatedChain[],
    indexes: Object.fromEntries(opened) as Record<IndexPath, IndexFile>,
    close: async () => {
      await Promise.all(opened.map(([, file]) => file.close()))
    },
  }
}

function folderName({ seed, legacy = false, issued = [] }: NetworkSettings, steps: number): string {
  const branch = issued.length === 0 ? '' : `-${hash('sha256', JSON.stringify(issued), 'hex').slice(0, branchLetters)}`
  return `seed${seed}-v${generatorVersion}${legacy ? '-legacy' : ''}${branch}-${steps}`
}

/** Length of the hash in the folder name that identifies the issued transactions: they make a network differ from others of its seed. */
const branchLetters = 16

/** The number of steps of the shortest cached network that is long enough. */
function findCached(cacheDir: string, settings: NetworkSettings, steps: number): number | null {
  const pattern = new RegExp(`^${folderName(settings, 0).replace(/-0$/, '-(\\d+)')}$`)
  const lengths = listFolder(cacheDir).flatMap((name) => {
    const match = pattern.exec(name)
    return match === null || Number(match[1]) < steps ? [] : [Number(match[1])]
  })
  return lengths.length === 0 ? null : Math.min(...lengths)
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // The write of the network reports what is wrong with the folder.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** Reports the progress of the generation, in P-Chain containers. */
type Progress = (progress: { readonly containers: number; readonly of: number }) => void

const progressEvery = 1_000
/** After this many steps, the event loop can run other work. */
const breatheEvery = 64

/**
 * Generates a network into a folder. The folder gets its name only when the network is complete. Throws `CacheError` if it cannot be
 * written.
 */
async function writeNetwork(
  folder: string,
  settings: NetworkSettings,
  steps: number,
  onProgress: Progress,
): Promise<void> {
  const temporary = `${folder}.${process.pid}.${Math.trunc(performance.now() * 1000)}.tmp`
  try {
    mkdirSync(temporary, { recursive: true })
  } catch (cause) {
    throw storageError(cause, folder)
  }
  try {
    await writeAll(temporary, settings, steps, onProgress)
    renameSync(temporary, folder)
  } catch (cause) {
    rmSync(temporary, { recursive: true, force: true })
    // Another process may have generated the same network meanwhile.
    if (!existsSync(join(folder, createdFile))) throw storageError(cause, folder)
  }
}

/** Converts errors of the file system to `CacheError` with a hint. Returns other errors unchanged. */
function storageError(cause: unknown, path: string): unknown {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === undefined) return cause
  return new CacheError('The simulated network cannot be kept in its cache.', {
    code: 'storage.devnet-cache',
    details: { path, reason: code },
    hint: 'Free some space (a block of each chain takes about 8 kB), or name another folder for the cache.',
    cause,
  })
}

async function writeAll(folder: string, settings: NetworkSettings, steps: number, onProgress: Progress): Promise<void> {
  const network = createNetwork(settings)
  const files = indexPaths.map((path) => ({ path, writer: createIndexFile(join(folder, indexFile(path))) }))
  try {
    for (let step = 0; step < steps; step += 1) {
      const made = network.step()
      for (const { path, writer } of files) writer.addStep(made[path])
      if (step % breatheEvery === 0) await breathe()
      if (step % progressEvery === 0) onProgress({ containers: step, of: steps })
    }
    for (const { writer } of files) writer.finish()
  } finally {
    for (const { writer } of files) writer.close()
  }
  writeFileSync(join(folder, createdFile), JSON.stringify(network.created))
  onProgress({ containers: steps, of: steps })
}

/**
 * A generated network is a folder with one file for each index, and `created.json` with the blockchains that the P-Chain has created. An
 * index file holds the JSON texts of its containers, separated by commas; then their 32-byte ids; then the offset of each text (float64,
 * one more than there are containers); then the number of containers after each step (float64, starting with step 0); then a JSON trailer
 * and its length in bytes (u32).
 */
type Trailer = {
  readonly count: number
  readonly steps: number
  readonly textBytes: number
}

const idBytes = 32
const numberBytes = 8

const createdFile = 'created.json'

function indexFile(path: IndexPath): string {
  return `${path.replace('/', '-')}.containers`
}

/** Writes the containers of one index. */
type IndexFileWriter = {
  /** Adds the containers that one step of the network created. */
  addStep(containers: readonly GeneratedContainer[]): void
  /** Writes the remaining data and the end of the file. */
  finish(): void
  close(): void
}

const bufferBytes = 4 << 20

function createIndexFile(path: string): IndexFileWriter {
  const file = openSync(path, 'wx')
  const ids = createIds()
  const starts: number[] = [0]
  const counts: number[] = [0]
  const secondText = createSecondText()
  let pending = Buffer.allocUnsafe(bufferBytes)
  let used = 0
  const flush = (): void => {
    writeWhole(file, pending.subarray(0, used))
    used = 0
  }
  const add = (container: GeneratedContainer): void => {
    const text = `${textOf(container, starts.length - 1, secondText(container.clock))},`
    if (text.length > pending.length - used) flush()
    if (text.length > pending.length) pending = Buffer.allocUnsafe(text.length)
    used += pending.write(text, used, 'latin1')
    ids.add(container.id)
    starts.push(starts.at(-1)! + text.length)
  }
  return {
    addStep: (containers) => {
      for (const container of containers) add(container)
      counts.push(starts.length - 1)
    },
    finish: () => {
      flush()
      const count = starts.length - 1
      const trailer: Trailer = { count, steps: counts.length - 1, textBytes: starts[count]! }
      const text = Buffer.from(JSON.stringify(trailer))
      const length = Buffer.alloc(4)
      length.writeUInt32LE(text.length)
      writeWhole(file, ids.bytes())
      for (const numbers of [starts, counts]) writeWhole(file, new Uint8Array(Float64Array.from(numbers).buffer))
      for (const part of [text, length]) writeWhole(file, part)
    },
    close: () => closeSync(file),
  }
}

/** Concatenated ids. A million ids take one buffer instead of a million objects. */
function createIds(): { add(id: Uint8Array): void; bytes(): Uint8Array } {
  let space = new Uint8Array(1024 * idBytes)
  let used = 0
  return {
    add: (id) => {
      if (used === space.length) {
        const grown = new Uint8Array(space.length * 2)
        grown.set(space)
        space = grown
      }
      space.set(id, used)
      used += idBytes
    },
    bytes: () => space.subarray(0, used),
  }
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

const checksum = new Uint8Array(4)

function textOf(container: GeneratedContainer, index: number, second: string): string {
  const { bytes, id, nanoseconds } = container
  putChecksum(bytes, checksum, 0)
  const hex = `0x${hexOf(bytes)}${hexOf(checksum)}`
  // Go omits trailing zeros of the fraction, and the decimal point if nothing follows it.
  const fraction = String(nanoseconds).padStart(9, '0').replace(/0+$/, '')
  const timestamp = `${second}${fraction === '' ? '' : `.${fraction}`}Z`
  return containerText({ id: idText(id), hex, timestamp }, index)
}

/** RFC 3339 text without a fraction. The last text is cached, because consecutive containers often share the second. */
function createSecondText(): (clock: number) => string {
  let last = -1
  let text = ''
  return (clock) => {
    if (clock !== last) {
      last = clock
      text = new Date(clock * 1000).toISOString().slice(0, 19)
    }
    return text
  }
}

/** The containers of one index of a generated network, with random access. Texts are not in memory. */
type IndexFile = {
  /** The number of containers after a number of steps. */
  countAt(step: number): number
  /** JSON texts of the containers `[from, to)`, joined with commas. */
  texts(from: number, to: number): Promise<Buffer>
  indexOf(id: string): number | null
  close(): Promise<void>
}

async function openIndexFile(path: string): Promise<IndexFile> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const trailerLength = (await readAt(file, size - 4, 4)).readUInt32LE()
    const trailerText = await readAt(file, size - 4 - trailerLength, trailerLength)
    const { count, steps, textBytes } = JSON.parse(trailerText.toString('utf8')) as Trailer
    const ids = await readAt(file, textBytes, count * idBytes)
    const startsAt = textBytes + ids.length
    const starts = await readNumbers(file, startsAt, count + 1)
    const counts = await readNumbers(file, startsAt + starts.byteLength, steps + 1)
    let lookup: ((id: Uint8Array) => number | null) | null = null
    return {
      countAt: (step) => counts[Math.min(step, steps)]!,
      texts: (from, to) => readAt(file, starts[from]!, starts[to]! - 1 - starts[from]!),
      indexOf: (id) => {
        lookup ??= createLookup(ids, count)
        return lookup(decodeCb58(id))
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readNumbers(file: FileHandle, position: number, count: number): Promise<Float64Array> {
  const bytes = await readAt(file, position, count * numberBytes)
  return new Float64Array(bytes.buffer, bytes.byteOffset, count)
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  // Not from the buffer pool: typed arrays need an aligned start.
  const buffer = Buffer.from(new ArrayBuffer(length))
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(buffer, at, length - at, position + at)
    if (bytesRead === 0) throw new RangeError(`the index's file ends at byte ${position + at}`)
    at += bytesRead
  }
  return buffer
}

/** A hash table from ids to indexes with open addressing: 8 bytes for each container. */
function createLookup(ids: Buffer, count: number): (id: Uint8Array) => number | null {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(2, count * 2)))
  const table = new Int32Array(slots)
  const slotOf = (id: Uint8Array, at: number): number =>
    (id[at]! | (id[at + 1]! << 8) | (id[at + 2]! << 16) | (id[at + 3]! << 24)) & (slots - 1)
  for (let index = 0; index < count; index += 1) {
    let slot = slotOf(ids, index * idBytes)
    while (table[slot] !== 0) slot = (slot + 1) & (slots - 1)
    table[slot] = index + 1
  }
  return (id) => {
    for (let slot = slotOf(id, 0); table[slot] !== 0; slot = (slot + 1) & (slots - 1)) {
      const index = table[slot]! - 1
      if (ids.compare(id, 0, idBytes, index * idBytes, (index + 1) * idBytes) === 0) return index
    }
    return null
  }
}
