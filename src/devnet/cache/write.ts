import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { encodeCb58 } from '../../codec/cb58.ts'
import { putChecksum } from '../../codec/hash.ts'
import { StorageError } from '../../errors.ts'
import { createGenerator, type GeneratedContainer } from '../chain/generator.ts'
import { containerText } from '../index/store.ts'
import { idBytes, type Trailer } from './format.ts'

export type Progress = (progress: { readonly containers: number; readonly of: number }) => void

const flushBytes = 4 << 20
const progressEvery = 2_000
/** After so many containers others get their turn. */
const breatheEvery = 128

/**
 * Generates a chain into a file, which is there under its name only when it is complete. Throws `StorageError` when the
 * file cannot be written.
 */
export async function writeChain(path: string, seed: number, count: number, onProgress: Progress): Promise<void> {
  try {
    mkdirSync(dirname(path), { recursive: true })
    await writeThenRename(path, seed, count, onProgress)
  } catch (cause) {
    throw storageError(cause, path)
  }
}

async function writeThenRename(path: string, seed: number, count: number, onProgress: Progress): Promise<void> {
  const temporary = `${path}.${process.pid}.${Math.trunc(performance.now() * 1000)}.tmp`
  const file = openSync(temporary, 'wx')
  try {
    await writeAll(file, seed, count, onProgress)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** Errors of the file system say what to do; others are passed on. */
function storageError(cause: unknown, path: string): unknown {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === undefined) return cause
  return new StorageError('The simulated chain cannot be kept in its cache.', {
    code: 'storage.devnet-cache',
    details: { path, reason: code },
    hint: 'Free some space (a container takes about 2 kB), or name another folder for the cache.',
    cause,
  })
}

async function writeAll(file: number, seed: number, count: number, onProgress: Progress): Promise<void> {
  const generator = createGenerator(seed)
  const ids = new Uint8Array(count * idBytes)
  const starts = new Float64Array(count + 1)
  const times = timeTexts()
  let pending: string[] = []
  let pendingLength = 0
  const flush = (): void => {
    writeWhole(file, Buffer.from(pending.join(''), 'latin1'))
    pending = []
    pendingLength = 0
  }
  for (let index = 0; index < count; index += 1) {
    const container = generator.next()
    ids.set(container.id, index * idBytes)
    const text = `${textOf(container, index, times(container.clock))},`
    pending.push(text)
    pendingLength += text.length
    starts[index + 1] = starts[index]! + text.length
    if (pendingLength > flushBytes) flush()
    if (index % breatheEvery === 0) await breathe()
    if (index % progressEvery === 0) onProgress({ containers: index, of: count })
  }
  flush()
  const chains = generator.state.chains.map(({ id, name, subnetId, height }) => {
    return { id: encodeCb58(id), name, subnetId: encodeCb58(subnetId), height }
  })
  const trailer: Trailer = { count, textBytes: starts[count]!, chains }
  const trailerText = Buffer.from(JSON.stringify(trailer))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(trailerText.length)
  for (const part of [ids, new Uint8Array(starts.buffer), trailerText, length]) writeWhole(file, part)
  onProgress({ containers: count, of: count })
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
  return containerText({ id: encodeCb58(id), hex, timestamp }, index)
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/** RFC 3339 without fraction; consecutive containers often share the second. */
function timeTexts(): (clock: number) => string {
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
