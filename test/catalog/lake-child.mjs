// A process that works on a lake and that tests can kill. It runs the built code, because it cannot load TypeScript.
import { hash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tables } from '../../dist/schemas/index.js'
import { openCatalog } from '../../dist/src/catalog/catalog.js'
import { catalogColumns, isLeaf } from '../../dist/src/catalog/schema.js'

const [mode, lake, ...rest] = process.argv.slice(2)
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const forever = () => new Promise(() => setInterval(() => undefined, 1000))

const names = ['containers', 'p_blocks']
const contents = 'parquet'

function partOf(name, chain, runId, from, to) {
  const table = tables.find((candidate) => candidate.name === name)
  const partition = table.partitionBy.map((key) =>
    key.transform === 'identity' ? { network: 'local', chain }[key.column] : '2026-11',
  )
  const rows = to - from
  const bounds = (type) => {
    if (type === 'timestamptz') return ['2026-11-01 00:00:00+00', '2026-11-21 10:45:00.5+00']
    return type === 'int64' ? [String(from), String(to - 1)] : ['a', 'b']
  }
  const stats = catalogColumns(table)
    .filter(isLeaf)
    .map(({ id, type }) => ({
      fieldId: id,
      columnBytes: 8 * rows,
      valueCount: rows,
      nullCount: 0,
      min: bounds(type)[0],
      max: bounds(type)[1],
    }))
  const file = `${String(from).padStart(12, '0')}-${runId}-0.parquet`
  const path = ['data', name, 'network=local', `chain=${chain}`, file].join('/')
  return { table: name, path, rows, bytes: 7, footerBytes: 1, sha256: hash('sha256', contents), partition, stats }
}

async function writePart(part) {
  const file = join(lake, part.path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, contents, { flag: 'wx' })
}

/** Exports `[0, to)` of a stream in units, and resumes where an earlier process stopped. */
async function exportStream(chain, to, unit) {
  const catalog = await openCatalog({ folder: lake }, tables)
  const stream = { network: 'local', path: `${chain}/block`, parameters: {} }
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  say({ run: run.id, recovery: run.recovery })
  const covered = (await catalog.coverage(stream, names)).get('p_blocks')
  for (let from = covered.at(-1)?.slice.to ?? 0; from < to; from += unit) {
    const slice = { from, to: from + unit }
    const parts = names.map((name) => partOf(name, chain, run.id, slice.from, slice.to))
    for (const part of parts) await writePart(part)
    const ends = {
      firstId: `${chain}${slice.from}`,
      firstParentId: `${chain}${slice.from - 1}`,
      lastId: `${chain}${slice.to - 1}`,
    }
    const progress = { kind: 'slice', slice, ends }
    await catalog.commit({ runId: run.id, stream, tables: names, parts, progress, basis: null })
    say({ committed: slice.to })
  }
  await catalog.publishCopy()
  await run.end('done')
}

/** Reads an observation of `pages` pages, one part per page, and resumes where an earlier process stopped. */
async function observe(pages, staged) {
  const catalog = await openCatalog({ folder: lake }, tables)
  const stream = { network: 'local', path: 'observed', parameters: {} }
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  say({ run: run.id, recovery: run.recovery })
  if ((await catalog.observationIds(stream)).length === 0) {
    const opened = await catalog.openObservation({ runId: run.id, stream })
    const { cursor, parts } = opened
    let { id } = opened
    say({ observation: id, cursor, parts: parts.length })
    let page = cursor === null ? 0 : Number(cursor)
    // Simulates an expired token: once, in the middle, the observation is read again from the start.
    if (page === 2 && parts.length === 2 && staged === 'restart') {
      ;({ id } = await catalog.restartObservation({ runId: run.id, observationId: id, stream }))
      page = 0
    }
    for (; page < pages; page++) {
      const part = partOf('p_blocks', 'P', run.id, page * 10, page * 10 + 10)
      await writePart(part)
      await catalog.stage({ runId: run.id, observationId: id, parts: [part], cursor: String(page + 1) })
    }
    const last = partOf('containers', 'P', run.id, 0, 5)
    await writePart(last)
    const progress = { kind: 'observation', observationId: id, staged: staged === 'discard' ? 'discard' : 'keep' }
    await catalog.commit({ runId: run.id, stream, tables: names, parts: [last], progress, basis: null })
  }
  await run.end('done')
}

/** Walks a list of `[0, items)` from its newest item to the oldest, in segments of ten. */
async function walkList(items) {
  const catalog = await openCatalog({ folder: lake }, tables)
  const stream = { network: 'local', path: 'list', parameters: {} }
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  say({ run: run.id, recovery: run.recovery })
  for (;;) {
    const [known] = await catalog.stretches(stream)
    const to = known === undefined ? items : Number(known.bottomKeys[0])
    if (to === 0) break
    const part = partOf('p_blocks', 'P', run.id, to - 10, to)
    await writePart(part)
    const stretch = {
      topKeys: [String(items - 1)],
      topTime: null,
      bottomKeys: [String(to - 10)],
      bottomTime: null,
      token: to === 10 ? null : `token ${to}`,
      tokenAtMs: to === 10 ? null : 1,
      end: to === 10,
      hole: null,
      items: items - to + 10,
    }
    const progress = { kind: 'stretches', stretches: [stretch] }
    await catalog.commit({ runId: run.id, stream, tables: ['p_blocks'], parts: [part], progress, basis: null })
    say({ committed: to - 10 })
  }
  await run.end('done')
}

/** Holds the lock of a stream until it is killed. */
async function holdStream(chain) {
  const catalog = await openCatalog({ folder: lake }, tables)
  const run = await catalog.startRun({
    streams: [{ network: 'local', path: `${chain}/block`, parameters: {} }],
    command: 'test',
  })
  const part = partOf('p_blocks', chain, run.id, 0, 10)
  await writePart(part)
  say({ run: run.id, part: part.path })
  await forever()
}

/** Holds the lock of the catalog for some milliseconds. */
async function holdCatalog(milliseconds) {
  const instance = await DuckDBInstance.create(join(lake, 'catalog.ducklake'))
  say({ held: true })
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  instance.closeSync()
}

try {
  if (mode === 'export') await exportStream(rest[0], Number(rest[1]), Number(rest[2]))
  else if (mode === 'observe') await observe(Number(rest[0]), rest[1])
  else if (mode === 'walk-list') await walkList(Number(rest[0]))
  else if (mode === 'hold-stream') await holdStream(rest[0])
  else await holdCatalog(Number(rest[0]))
} catch (error) {
  say({ error: error.name, code: error.code, message: error.message, details: error.details, hint: error.hint })
  process.exitCode = 1
}
