import { closeSync, openSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { putChecksum } from '../../codec/hash.ts'
import { decodeCb58, idText } from '../../codec/ids.ts'
import { containerText } from '../index/store.ts'
import { hexOf } from '../lib.ts'
import type { GeneratedContainer } from '../network/container.ts'
import type { IndexPath } from './network.ts'

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

export type CachedChain = {
  readonly id: string
  readonly name: string
  readonly subnetId: string
  /** Height of the P-Chain block with the transaction. */
  readonly height: number
}

const idBytes = 32
const numberBytes = 8

export const createdFile = 'created.json'

export function indexFile(path: IndexPath): string {
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

export function createIndexFile(path: string): IndexFileWriter {
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
export type IndexFile = {
  /** The number of containers after a number of steps. */
  countAt(step: number): number
  /** JSON texts of the containers `[from, to)`, joined with commas. */
  texts(from: number, to: number): Promise<Buffer>
  indexOf(id: string): number | null
  close(): Promise<void>
}

export async function openIndexFile(path: string): Promise<IndexFile> {
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
    const lookup = lazily(() => createLookup(ids, count))
    return {
      countAt: (step) => counts[Math.min(step, steps)]!,
      texts: (from, to) => readAt(file, starts[from]!, starts[to]! - 1 - starts[from]!),
      indexOf: (id) => lookup()(decodeCb58(id)),
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

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
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
