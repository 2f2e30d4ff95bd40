/**
 * Commits slices of a chain to a lake, one after another. It starts at the first byte on stdin, and prints a `CommitTimes` as JSON. It
 * writes no data files.
 */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { tables } from '../schemas/index.ts'
import { openCatalog } from '../src/catalog/catalog.ts'
import { catalogColumns, isLeaf } from '../src/catalog/schema.ts'
import type { Part } from '../src/model.ts'

/** `began` and `ended` are Unix milliseconds; `milliseconds` is the duration of each commit. */
export type CommitTimes = { readonly began: number; readonly ended: number; readonly milliseconds: readonly number[] }

const [lake = '', chain = '', commits = ''] = process.argv.slice(2)
const names = ['containers', 'p_blocks']
const rows = 10

const catalog = await openCatalog({ folder: lake }, tables)
const stream = { network: 'local', path: `${chain}/block`, parameters: {} }
const run = await catalog.startRun({ streams: [stream], command: 'bench' })
console.error('ready')
await once(process.stdin, 'data')
process.stdin.destroy()
const began = Date.now()
const milliseconds: number[] = []
for (let from = 0; from < rows * Number(commits); from += rows) {
  const slice = { from, to: from + rows }
  const ends = { firstId: `${from}`, firstParentId: `${from - 1}`, lastId: `${from + rows - 1}` }
  const parts = names.map((name) => partOf(name, from))
  const startedMs = performance.now()
  await catalog.commit({
    runId: run.id,
    stream,
    tables: names,
    parts,
    progress: { kind: 'slice', slice, ends },
    basis: null,
  })
  milliseconds.push(performance.now() - startedMs)
}
const ended = Date.now()
await run.end('done')
console.log(JSON.stringify({ began, ended, milliseconds } satisfies CommitTimes))

function partOf(name: string, from: number): Part {
  const table = tables.find((each) => each.name === name)!
  const partition = table.partitionBy.map((key) =>
    key.transform !== 'identity' ? '2026-11' : key.column === 'chain' ? chain : 'local',
  )
  const stats = catalogColumns(table)
    .filter(isLeaf)
    .map(({ id, type }) => ({
      fieldId: id,
      columnBytes: 80,
      valueCount: rows,
      nullCount: 0,
      min: type === 'timestamptz' ? '2026-11-01 00:00:00+00' : type === 'int64' ? `${from}` : 'a',
      max: type === 'timestamptz' ? '2026-11-21 10:45:00+00' : type === 'int64' ? `${from + rows - 1}` : 'b',
    }))
  const path = `data/${name}/network=local/chain=${chain}/${String(from).padStart(12, '0')}-${run.id}-0.parquet`
  return { table: name, path, rows, bytes: 1000, footerBytes: 100, sha256: hash('sha256', path), partition, stats }
}
