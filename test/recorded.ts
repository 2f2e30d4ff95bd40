import { join } from 'node:path'
import { parse } from 'lossless-json'
import * as replay from '../devnet/replay/recording.ts'
import { packageRoot } from '../src/lib/package.ts'
import { rfc3339ToNs } from '../src/lib/time.ts'
import type { Container } from '../src/model.ts'

/** The folder of a recorded node (test/fixtures/README.md), such as `granite`, for `startDevnet` to replay. */
export function recordingFolder(recording: string): string {
  return join(packageRoot(), 'test/fixtures/recorded', recording)
}

/** The lines of a file of a recording, such as `granite/p-containers`. */
export function recordedLines(path: string): string[] {
  const lines = replay.recordedLines(recordingFolder(''), `${path}.jsonl`)
  if (lines === null) throw new Error(`There is no fixture ${path}.`)
  return lines
}

type ApiContainer = { index: string; id: string; timestamp: string; bytes: string }

/** A container in the form of the index API, without its checksum. */
export function containerOf(api: ApiContainer): Container {
  return {
    index: Number(api.index),
    id: api.id,
    acceptedAtNs: rfc3339ToNs(api.timestamp)!,
    bytes: new Uint8Array(Buffer.from(api.bytes.slice(2, -8), 'hex')),
  }
}

const containers = new Map<string, readonly Container[]>()

/** Recorded containers in order, such as those of `granite/p-containers`; read only once. */
export function recordedContainers(path: string): Container[] {
  const known = containers.get(path) ?? recordedLines(path).map((line) => containerOf(JSON.parse(line) as ApiContainer))
  containers.set(path, known)
  return [...known]
}

const blocks = new Map<string, readonly any[]>()

/** The JSON from the node for each block in the containers of the P- or X-Chain; parsed only once. */
export function recordedBlocks(recording: string, chain: 'P' | 'X'): any[] {
  const path = `${recording}/${chain.toLowerCase()}-blocks`
  // The genesis block is not in the index, so the index of a block is its height minus 1.
  const answers = () => recordedLines(path).slice(1)
  const known = blocks.get(path) ?? answers().map((line) => parseNodeJson(line).result.block)
  blocks.set(path, known)
  return [...known]
}

/** Parses JSON with every number as a bigint, because amounts of a node reach 2^64 - 1. */
export function parseNodeJson(text: string): any {
  return parse(text, undefined, (number) => BigInt(number))
}
