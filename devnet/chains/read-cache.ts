import { type FileHandle, open } from 'node:fs/promises'
import { decodeCb58 } from '../../codec/ids.ts'
import { idBytes, numberBytes, type Trailer } from './cache-format.ts'

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
