import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { observations } from '../../../schemas/lake.ts'
import { observationColumns, presentColumn, versionColumns } from '../../../schemas/shared/service-columns.ts'
import { lakeExists, openCatalog } from '../../../src/catalog/catalog.ts'
import { identity, pipeline, type StreamDeclaration, type Table, t, table } from '../../../src/define/index.ts'
import type { Transport } from '../../../src/fetch/transport.ts'
import { openLookup } from '../../../src/lookup/lookup.ts'
import { createServiceAccounts } from '../../../src/run/connections/connections.ts'
import type { EmitEvent } from '../../../src/run/events.ts'
import { runJob } from '../../../src/run/jobs/run-job.ts'
import type { LakeRun } from '../../../src/run/rows/lake-run.ts'
import type { ServiceClient } from '../../../src/sources/service-client.ts'
import { hostsOf } from '../../../src/sources/service-profile.ts'
import { openFolderStore } from '../../../src/store/folder-store.ts'
import { createParquetThread, type ParquetThread } from '../../../src/write/parquet-thread.ts'
import { createLake } from '../../catalog/lake.ts'
import type { Breaker } from '../breaking.ts'
import { profileOf } from './devnet-jobs.ts'

/** Rows of a list in these tests. */
export const items = table({
  name: 'rest_items',
  comment: 'Items of a list.',
  key: ['network', 'item_id'],
  sortBy: ['item_time'],
  partitionBy: [identity('network')],
  columns: {
    network: t.text('Network.'),
    item_id: t.text('Name of the item.'),
    item_time: t.int64('Unix seconds.'),
  },
})

/** Items with content that may change. Their versions are stored. */
export const versions = table({
  name: 'rest_item_versions',
  comment: 'Versions of items.',
  key: ['network', 'item_id', 'observed_at'],
  sortBy: ['item_id'],
  partitionBy: [identity('network')],
  history: 'versions',
  columns: {
    network: t.text('Network.'),
    item_id: t.text('Name of the item.'),
    item_time: t.int64('Unix seconds.'),
    ...versionColumns,
    ...presentColumn,
  },
})

/** Items as each observation found them. */
export const observed = table({
  name: 'rest_observed_items',
  comment: 'Items of an observation.',
  key: ['network', 'item_id', 'observation_id'],
  sortBy: ['item_id'],
  partitionBy: [identity('network')],
  history: 'observations',
  columns: {
    network: t.text('Network.'),
    item_id: t.text('Name of the item.'),
    item_time: t.int64('Unix seconds.'),
    ...observationColumns,
  },
})

const tables: readonly Table[] = [items, versions, observed, observations]

/** One thread for all runs until the process ends, because its start takes longer than most runs. */
let thread: ParquetThread | undefined

/** A path for a lake in a new folder. */
export function newItemLake(): string {
  return mkdtempSync(join(tmpdir(), 'chainlake-items-'))
}

/** Runs a stream once on the lake, as a separate process would do it. */
export async function runStream(
  lakeDir: string,
  stream: StreamDeclaration,
  client: ServiceClient,
  options: {
    readonly stop?: AbortSignal
    readonly declared?: readonly Table[]
    readonly unitPages?: number
    readonly breaker?: Breaker
    readonly emit?: EmitEvent
    /** Other streams of the job. */
    readonly others?: readonly StreamDeclaration[]
  } = {},
) {
  const declared = options.declared ?? tables
  const streams = [stream, ...(options.others ?? [])]
  const catalog = (await lakeExists({ folder: lakeDir }))
    ? await openCatalog({ folder: lakeDir }, declared)
    : await createLake({ folder: lakeDir }, declared)
  const run = await catalog.startRun({ streams: streams.map((each) => each.stream), command: 'test' })
  thread ??= createParquetThread()
  const { breaker, unitPages } = options
  const opened = openLookup(lakeDir, run.id)
  const lookup = breaker?.lookup(opened) ?? opened
  let part = 0
  const lakeRun: LakeRun = {
    lakeDir,
    catalog: breaker?.catalog(catalog) ?? catalog,
    thread,
    store: openFolderStore(lakeDir),
    lookup,
    runId: run.id,
    nextPart: () => part++,
    concurrency: 3,
    commitEveryMs: 60_000,
    stop: options.stop ?? new AbortController().signal,
    emit: options.emit ?? (() => undefined),
    afterCommit: breaker?.afterCommit ?? (async () => undefined),
  }
  const items = pipeline({
    name: 'items',
    comment: 'Items.',
    parameters: {},
    tables: {},
    reads: 'service',
    walks: [],
    streams: () => [],
  })
  const connections = {
    connection: () => (stream.walk.kind === 'range' ? ({} as Transport) : expect.fail('a service has its own')),
    service: () => ({ client, accounts: createServiceAccounts(hostsOf(profileOf({ url: 'http://127.0.0.1:1' }))) }),
  }
  try {
    const { result, failure } = await runJob(
      { name: 'items', pipeline: items, values: unitPages === undefined ? {} : { 'unit-pages': unitPages } },
      streams,
      {
        ...lakeRun,
        connections,
        threads: null,
      },
    )
    if (failure !== null) throw failure
    return result
  } finally {
    await lookup.close()
    await run.end('done')
  }
}

/** All rows of a table of the lake, in file order. */
export async function rowsOf(lakeDir: string, of: Table, declared: readonly Table[] = tables): Promise<object[]> {
  const catalog = await openCatalog({ folder: lakeDir }, declared)
  const { files } = await catalog.tableFiles(of.name)
  const lookup = openLookup(lakeDir, 'reader')
  const rows: object[] = []
  try {
    for await (const batch of lookup.rows({ table: of, files: files.map(({ path }) => path) })) rows.push(...batch)
  } finally {
    await lookup.close()
  }
  return rows
}
