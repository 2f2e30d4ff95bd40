import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parse, stringify } from 'lossless-json'
import { OptionError } from '../errors.ts'
import { type Answer, contentType, type DevnetRequest, type Handler } from '../http/router.ts'
import { type ContainerStore, memoryStore } from '../index/store.ts'

/** A recorded container: one object per line. */
type RecordedContainer = { index: string; id: string; timestamp: string; bytes: string }

const files: Readonly<Record<string, string>> = {
  'p-containers.jsonl': 'P/block',
  'x-containers.jsonl': 'X/block',
  'c-containers.jsonl': 'C/block',
  'x-transactions.jsonl': 'X/tx',
  'x-vertices.jsonl': 'X/vtx',
}

/**
 * The indexes of a recording by path, such as `P/block`: packed lines of a recorded node, or a `containers.json` with an unsorted array. If
 * there is an index of X-Chain blocks, the empty indexes of vertices and their transactions are added.
 */
export function recordedStores(folder: string): ReadonlyMap<string, ContainerStore> {
  const stores = new Map<string, ContainerStore>()
  for (const [file, path] of Object.entries(files)) {
    const lines = recordedLines(folder, file)
    if (lines !== null)
      stores.set(
        path,
        storeOf(
          lines.map((line) => JSON.parse(line) as RecordedContainer),
          file,
        ),
      )
  }
  const array = join(folder, 'containers.json')
  if (existsSync(array)) {
    stores.set('P/block', storeOf(JSON.parse(readFileSync(array, 'utf8')) as RecordedContainer[], array))
  }
  if (stores.has('X/block')) {
    for (const path of ['X/tx', 'X/vtx']) if (!stores.has(path)) stores.set(path, memoryStore([]))
  }
  if (stores.size === 0 && !hasCalls(folder)) {
    throw new OptionError(`There is no recording in ${folder}.`, {
      code: 'config.replay',
      hint: `Name a folder with ${Object.keys(files)[0]}.gz, calls.jsonl.gz or containers.json in it.`,
    })
  }
  return stores
}

function storeOf(containers: RecordedContainer[], file: string): ContainerStore {
  const sorted = containers.toSorted((a, b) => Number(a.index) - Number(b.index))
  const wrong = sorted.findIndex(({ index }, position) => Number(index) !== position)
  if (wrong >= 0) {
    throw new OptionError(`Container ${wrong} is missing in ${file}.`, {
      code: 'config.replay',
      hint: 'A recording must hold every container from index 0 on.',
    })
  }
  return memoryStore(sorted.map(({ id, timestamp, bytes }) => ({ id, timestamp, hex: bytes })))
}

const callsFile = 'calls.jsonl'

/** A line of `calls.jsonl`; lines without an answer are notes. */
export type RecordedCall = {
  name: string
  request: { method: string; path: string; headers: Record<string, string>; body?: string | null }
  answer?: { status: number; headers: Record<string, string>; body: string }
}

/** The calls of a recording with the node's exact answers. */
export function recordedCalls(folder: string): RecordedCall[] {
  const lines = recordedLines(folder, callsFile) ?? []
  return lines.map((line) => JSON.parse(line) as RecordedCall).filter(({ answer }) => answer !== undefined)
}

/** Whether a recording contains answers of its node to calls, for example the identity of the network. */
export function hasCalls(folder: string): boolean {
  return isRecorded(folder, callsFile)
}

/** Returns recorded answers unchanged except for the request's id; null for all other requests. */
export function replayCalls(folder: string): Handler {
  const answers = new Map<string, Answer>()
  for (const { request, answer } of recordedCalls(folder)) {
    if (answer === undefined) continue
    const key = keyOf(request.method, request.path, request.headers['content-type'] ?? '', request.body ?? '')
    // Node.js chooses the transfer encoding of the response itself.
    const { 'transfer-encoding': _, ...headers } = answer.headers
    const recorded = { status: answer.status, headers, body: [answer.body] }
    if (!answers.has(key.text)) answers.set(key.text, recorded)
  }
  return (request: DevnetRequest) => {
    const key = keyOf(request.method, request.url, contentType(request), request.body.toString('utf8'))
    const answer = answers.get(key.text)
    if (answer === undefined) return null
    return { ...answer, body: answer.body.map((piece) => withId(String(piece), key.id)) }
  }
}

type Key = { readonly text: string; readonly id: string | null }

/** The key that identifies equal requests. It ignores the id of a call and treats missing parameters as empty ones. */
function keyOf(method: string, url: string, type: string, body: string): Key {
  const kind = type.split(';')[0]?.trim() === 'application/json' || type === '' ? '' : type
  const plain = { text: `${method} ${url} ${kind} ${body}`, id: null }
  try {
    const call = parse(body)
    if (typeof call !== 'object' || call === null || Array.isArray(call)) return plain
    const { jsonrpc, id, method: name, params } = call as Record<string, unknown>
    if (id === undefined || id === null || name === undefined) return plain
    const parameters = isEmpty(params)
      ? ''
      : stringify(Array.isArray(params) && params.length === 1 && isObject(params[0]) ? params[0] : params)
    return { text: `${method} ${url} ${kind} ${jsonrpc} ${name} ${parameters}`, id: stringify(id) ?? null }
  } catch {
    return plain
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && value.constructor === Object
}

function isEmpty(params: unknown): boolean {
  if (params === undefined || params === null) return true
  return typeof params === 'object' && Object.keys(params).length === 0
}

/**
 * Replaces the id of a recorded answer. Recorded calls have the id 1: it is last in an answer of the node's own server, and second in one
 * of the EVM's server.
 */
function withId(body: string, id: string | null): string {
  if (id === null || id === '1') return body
  const first = '{"jsonrpc":"2.0","id":1,'
  if (body.startsWith(first)) return `{"jsonrpc":"2.0","id":${id},${body.slice(first.length)}`
  return body.replace(/,"id":1\}(\n?)$/, (_, end: string) => `,"id":${id}}${end}`)
}

/** Decompressors of recorded files by file extension. */
const packings = { gz: gunzipSync, br: brotliDecompressSync } as const

/** The path of a packed file of a recording (such as `p-containers.jsonl`) and its decompressor; null if the file does not exist. */
function packedFile(folder: string, file: string): { path: string; unpack: (bytes: Buffer) => Buffer } | null {
  for (const [end, unpack] of Object.entries(packings)) {
    const path = join(folder, `${file}.${end}`)
    if (existsSync(path)) return { path, unpack }
  }
  return null
}

/** Whether a recording contains a file, packed as gzip or brotli. */
function isRecorded(folder: string, file: string): boolean {
  return packedFile(folder, file) !== null
}

/** The lines of a file of a recording, packed as gzip or brotli; null if the recording does not contain it. */
export function recordedLines(folder: string, file: string): string[] | null {
  const packed = packedFile(folder, file)
  if (packed === null) return null
  return packed
    .unpack(readFileSync(packed.path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}
