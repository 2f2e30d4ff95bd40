import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OptionError } from '../errors.ts'
import { type ContainerStore, memoryStore } from '../index/store.ts'
import { hasCalls } from './calls.ts'
import { recordedLines } from './lines.ts'

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
