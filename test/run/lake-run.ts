import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tables } from '../../schemas/index.ts'
import { packageRoot } from '../../src/lib/files/package-root.ts'
import { lakeState } from '../catalog/lake-state.ts'

/** What a command left behind. */
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

/** A path for a lake, in a folder of its own. */
export function newLake(): string {
  return join(mkdtempSync(join(tmpdir(), 'chainlake-test-')), 'lake')
}

export function startCommand(args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [join(packageRoot(), 'dist/src/cli/main.js'), ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })))
}

/** Runs the built command line to its end. */
export function command(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return ended(startCommand(args, environment))
}

/** Resolves when a log line of the command holds the text that often. */
export function logged(child: ChildProcess, text: string, times = 1): Promise<void> {
  let seen = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      seen += chunk.toString()
      if (seen.split(text).length > times) resolve()
    })
    child.on('close', () => reject(new Error(`The command ended before it said ${text}:\n${seen}`)))
  })
}

/** Asks `lake.duckdb` as analysts do. */
export async function query(lake: string, sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(join(lake, 'lake.duckdb'), { access_mode: 'READ_ONLY', threads: '1' })
  try {
    const connection = await instance.connect()
    const reader = await connection.runAndReadAll(sql)
    const rows = reader.getRowObjectsJson()
    connection.closeSync()
    return rows
  } finally {
    instance.closeSync()
  }
}

/** Per table the number of rows and a hash over the rows in the order in which they are stored. */
export function contents(lake: string): Promise<Record<string, string>> {
  return tableHashes(lake, "string_agg(md5(t::text), '')")
}

/** Per table the number of rows and a hash over the rows as a set: equal however the rows were cut into units. */
export function rowSets(lake: string): Promise<Record<string, string>> {
  return tableHashes(lake, "string_agg(md5(t::text), '' order by md5(t::text))")
}

async function tableHashes(lake: string, aggregate: string): Promise<Record<string, string>> {
  const each = tables.map(
    ({ name }) => `select '${name}' as name, count(*) as n, md5(coalesce(${aggregate}, '')) as h from ${name} t`,
  )
  const found = await query(lake, each.join(' union all '))
  return Object.fromEntries(found.map(({ name, n, h }) => [name, `${n} rows ${h}`]))
}

/** What is in the lake without being data: Parquet that no commit names, commits without files, drafts, locks. */
export async function strayFiles(lake: string): Promise<string[]> {
  const { stray, leftovers } = await lakeState(lake)
  return [...stray, ...leftovers]
}

/** Everything that two ways of writing the same lake have in common: files, coverage, leftovers, rows in order. */
export async function wholeLake(lake: string) {
  return { ...(await lakeState(lake)), rows: await contents(lake) }
}
