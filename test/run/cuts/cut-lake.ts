import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'vitest'
import type { Devnet } from '../../../devnet/serve.ts'
import type { Table } from '../../../src/define/index.ts'
import { ChainlakeError } from '../../../src/errors.ts'
import { runPipelines } from '../../../src/run/jobs/run-pipelines.ts'
import type { RunSummary } from '../../../src/run/jobs/start-jobs.ts'
import { verifyLake } from '../../../src/verify/verify-lake.ts'
import { createParquetThread, type ParquetThread } from '../../../src/write/parquet-thread.ts'
import { lakeState } from '../../catalog/lake-state.ts'
import { profileOf } from '../lists/devnet-jobs.ts'
import { chosen } from './chosen.ts'
import type { CutJob } from './walks.ts'

/** How a test creates lakes and disturbs their catalog. */
export type Disturbance<C> = {
  /** Runs `use` on a new lake, and removes it. */
  readonly onNewLake: <T>(use: (lake: string) => Promise<T>) => Promise<T>
  /** Stops disturbing and starts counting the possible cuts. */
  readonly quiet: () => void
  /** The possible cuts of a run since `quiet`, and the most important ones of them. */
  readonly cuts: () => { readonly all: readonly C[]; readonly first: readonly C[] }
  /** Disturbs the next run once. */
  readonly cut: (cut: C) => void
  /** What was disturbed; null if nothing was. */
  readonly wasCut: () => string | null
}

/**
 * Disturbs runs of the jobs, each on a new lake, and runs the jobs again. The lake must equal that of an undisturbed run. `few`: the number
 * of cuts to try by default.
 */
export async function tryCuts<C extends object>(
  name: string,
  node: Devnet,
  jobs: readonly CutJob[],
  { onNewLake, quiet, cuts, cut, wasCut }: Disturbance<C>,
  few: number,
): Promise<void> {
  const { expected, all, first } = await onNewLake(async (lake) => {
    quiet()
    await runJobs(node, lake, jobs)
    const possible = cuts()
    quiet()
    return { expected: { again: 'done', ...(await lakeEnd(lake, jobs)) }, ...possible }
  })
  expect(JSON.stringify(expected.rows)).toMatch(/"[1-9][0-9]* rows/)
  expect(expected).toMatchObject({ findings: [], stray: [], leftovers: [] })
  const wrong: object[] = []
  for (const each of chosen(name, first, all, few)) {
    const found = await onNewLake(async (lake) => {
      quiet()
      cut(each)
      const ended = await endOf(runJobs(node, lake, jobs))
      const at = wasCut()
      quiet()
      const again = await endOf(runJobs(node, lake, jobs))
      const left = await lakeEnd(lake, jobs).catch((error: unknown) => ({ error: String(error) }))
      return { at, ended, left: { again, ...left } }
    })
    const { at, ended, left } = found
    if (['done', 'exit code 5'].includes(ended) && JSON.stringify(left) === JSON.stringify(expected)) continue
    wrong.push({ ...each, at: at?.replaceAll(/\s+/g, ' ').slice(0, 120), ended, ...differences(left, expected) })
  }
  expect(wrong).toEqual([])
}

/** The end of a run: `done`, or the exit code. */
async function endOf(run: Promise<RunSummary>): Promise<string> {
  try {
    await run
    return 'done'
  } catch (error) {
    return error instanceof ChainlakeError ? `exit code ${error.exitCode}` : String(error)
  }
}

function differences(left: object, expected: object): object {
  const wanted = new Map(Object.entries(expected))
  return Object.fromEntries(
    Object.entries(left).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(wanted.get(key))),
  )
}

/** One thread for all runs of a file. */
let thread: ParquetThread | undefined

/** Runs jobs in this process; a run that hangs fails here. */
function runJobs(node: Devnet, lake: string, jobs: readonly CutJob[]): Promise<RunSummary> {
  thread ??= createParquetThread()
  return within(
    120_000,
    runPipelines({
      nodeUrl: node.url,
      service: profileOf(node),
      services: jobs.flatMap(({ services = [] }) => services),
      lake: { folder: lake },
      jobs: jobs.map(({ pipeline, values }) => ({ name: pipeline.name, pipeline, values })),
      thread,
      stop: new AbortController().signal,
      emit: () => undefined,
    }),
  )
}

export async function endThread(): Promise<void> {
  await thread?.close()
  thread = undefined
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The run has not ended within ${milliseconds / 1000} s.`)), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The facts that must be equal for two lakes with the same content: rows, no findings of verify, and no stray files. */
async function lakeEnd(lake: string, jobs: readonly CutJob[]) {
  const rows = await rowsOf(lake, jobs)
  const { findings } = await verifyLake({ lake: { folder: lake } })
  const { stray, leftovers } = await lakeState(lake)
  return { rows, findings, stray, leftovers }
}

/** Columns that differ between two equal runs. */
const passing = ['observation_id', 'observed_at', 'completed_at']

/** Rows of the tables of jobs as sets: their number and a hash over all of them. For observations and versions, only the latest rows. */
async function rowsOf(lake: string, jobs: readonly CutJob[]): Promise<Record<string, string>> {
  const tables = jobs.flatMap(({ pipeline, tables }) => tables ?? Object.values<Table>(pipeline.tables))
  const queries = new Set(
    tables.map(({ name, history, columns }) => {
      const kept = Object.keys(columns)
        .filter((column) => !passing.includes(column))
        .map((column) => `"${column}"`)
      const rows = `(SELECT ${kept.join(', ')} FROM ${history === 'rows' ? name : `${name}_latest`}) t`
      const hash = "md5(coalesce(string_agg(md5(t::VARCHAR), '' ORDER BY md5(t::VARCHAR)), ''))"
      return `SELECT '${name}' AS name, count(*) || ' rows ' || ${hash} AS rows FROM ${rows}`
    }),
  )
  const instance = await DuckDBInstance.create(join(lake, 'lake.duckdb'), { access_mode: 'READ_ONLY', threads: '1' })
  try {
    const connection = await instance.connect()
    const found = await connection.runAndReadAll([...queries].join(' UNION ALL '))
    connection.closeSync()
    return Object.fromEntries(found.getRowObjects().map((row) => [String(row['name']), String(row['rows'])]))
  } finally {
    instance.closeSync()
  }
}
