import { closeSync, openSync, writeSync } from 'node:fs'
import { idText } from '../../codec/cb58.ts'
import { putChecksum } from '../../codec/hash.ts'
import { containerText } from '../index/store.ts'
import type { GeneratedContainer } from '../network/container.ts'
import type { Trailer } from './format.ts'

/** Writes the containers of one index. */
export type IndexFileWriter = {
  /** Adds what a step of the network has made. */
  addStep(containers: readonly GeneratedContainer[]): void
  /** Writes what is left and the end of the file. */
  finish(): void
  close(): void
}

const flushBytes = 2 << 20

export function createIndexFile(path: string): IndexFileWriter {
  const file = openSync(path, 'wx')
  const ids: Uint8Array[] = []
  const starts: number[] = [0]
  const counts: number[] = [0]
  const secondText = createSecondText()
  let pending: string[] = []
  let pendingLength = 0
  const flush = (): void => {
    writeWhole(file, Buffer.from(pending.join(''), 'latin1'))
    pending = []
    pendingLength = 0
  }
  return {
    addStep: (containers) => {
      for (const container of containers) {
        const text = `${textOf(container, ids.length, secondText(container.clock))},`
        ids.push(container.id)
        pending.push(text)
        pendingLength += text.length
        starts.push(starts.at(-1)! + text.length)
        if (pendingLength > flushBytes) flush()
      }
      counts.push(ids.length)
    },
    finish: () => {
      flush()
      const trailer: Trailer = { count: ids.length, steps: counts.length - 1, textBytes: starts.at(-1)! }
      const text = Buffer.from(JSON.stringify(trailer))
      const length = Buffer.alloc(4)
      length.writeUInt32LE(text.length)
      writeWhole(file, Buffer.concat(ids))
      for (const numbers of [starts, counts]) writeWhole(file, new Uint8Array(Float64Array.from(numbers).buffer))
      for (const part of [text, length]) writeWhole(file, part)
    },
    close: () => closeSync(file),
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
  // Go leaves trailing zeros of the fraction out, and the point with them.
  const fraction = String(nanoseconds).padStart(9, '0').replace(/0+$/, '')
  const timestamp = `${second}${fraction === '' ? '' : `.${fraction}`}Z`
  return containerText({ id: idText(id), hex, timestamp }, index)
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/** RFC 3339 without fraction; consecutive containers often share the second. */
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
