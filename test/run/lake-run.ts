import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tables } from '../../schemas/index.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { lakeState } from '../catalog/lake-state.ts'

/** The result of a command. */
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

/** A path for a lake in a new folder. */
export function newLake(): string {
  return join(mkdtempSync(join(tmpdir(), 'chainlake-test-')), 'lake')
}

/** `root`: the folder of the package. */
export function startCommand(
  args: readonly string[],
  environment: Record<string, string> = {},
  root = packageRoot(),
): ChildProcess {
  return spawn(process.execPath, [join(root, 'dist/src/cli/main.js'), ...args], {
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

/** Runs the built command line until it ends. */
export function command(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return ended(startCommand(args, environment))
}

/** Resolves when log lines of the command have contained the text this many times. */
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

/** Queries `lake.duckdb` as analysts do. */
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

/** The number of rows of each table, and a hash over the rows in their stored order. */
export function contents(lake: string): Promise<Record<string, string>> {
  return tableHashes(lake, "string_agg(md5(t::text), '')")
}

/** The number of rows of each table, and a hash over the rows as a set. It does not depend on how the rows were divided into units. */
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

/** Files in the lake that should not be there: Parquet files without a commit, commits without files, drafts, locks. */
export async function strayFiles(lake: string): Promise<string[]> {
  const { stray, leftovers } = await lakeState(lake)
  return [...stray, ...leftovers]
}

/** The facts that do not depend on how a lake was written: files, coverage, leftovers, rows in order. */
export async function wholeLake(lake: string) {
  return { ...(await lakeState(lake)), rows: await contents(lake) }
}
