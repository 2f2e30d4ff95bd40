import { closeSync, openSync, writeSync } from 'node:fs'
import { putChecksum } from '../../codec/hash.ts'
import { idText } from '../../codec/ids.ts'
import { containerText } from '../index/store.ts'
import type { GeneratedContainer } from '../network/container.ts'
import { idBytes, type Trailer } from './cache-format.ts'

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

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
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
