import { join } from 'node:path'
import { parse } from 'lossless-json'
import * as replay from '../src/devnet/replay/lines.ts'
import { packageRoot } from '../src/lib/files/package-root.ts'
import { rfc3339ToNs } from '../src/lib/text/time.ts'
import type { Container } from '../src/model.ts'

/** The folder of a recorded node (test/fixtures/README.md), such as `granite`: what `startDevnet` replays. */
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

/** A container as the index API gave it, without its checksum. */
export function containerOf(api: ApiContainer): Container {
  return {
    index: Number(api.index),
    id: api.id,
    acceptedAtNs: rfc3339ToNs(api.timestamp)!,
    bytes: new Uint8Array(Buffer.from(api.bytes.slice(2, -8), 'hex')),
  }
}

const containers = new Map<string, readonly Container[]>()

/** Recorded containers in order, such as those of `granite/p-containers`; read once. */
export function recordedContainers(path: string): Container[] {
  const known = containers.get(path) ?? recordedLines(path).map((line) => containerOf(JSON.parse(line) as ApiContainer))
  containers.set(path, known)
  return [...known]
}

const blocks = new Map<string, readonly any[]>()

/** The node's own JSON of the blocks in the containers of the P or X chain, one for each container; parsed once. */
export function recordedBlocks(recording: string, chain: 'P' | 'X'): any[] {
  const path = `${recording}/${chain.toLowerCase()}-blocks`
  // The genesis block is in no index: index is height - 1.
  const answers = () => recordedLines(path).slice(1)
  const known = blocks.get(path) ?? answers().map((line) => parseNodeJson(line).result.block)
  blocks.set(path, known)
  return [...known]
}

/** JSON with every number as a bigint: amounts of a node reach 2^64 - 1. */
export function parseNodeJson(text: string): any {
  return parse(text, undefined, (number) => BigInt(number))
}
