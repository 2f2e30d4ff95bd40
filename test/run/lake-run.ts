import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { packageRoot } from '../../src/lib/package-root.ts'

/** What a command left behind. */
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export function newLake(): string {
  return join(mkdtempSync(join(tmpdir(), 'chainlake-test-')), 'lake')
}

export function startCommand(args: string[], environment: Record<string, string> = {}): ChildProcess {
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
export function command(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  return ended(startCommand(args, environment))
}

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
export async function contents(lake: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await query(
      lake,
      `select count(*) as n, md5(coalesce(string_agg(md5(t::text), ''), '')) as h from ${name} t`,
    )
    found[name] = `${row?.['n']} rows ${row?.['h']}`
  }
  return found
}

/** Parquet files under the lake that no catalog row names, and catalog rows without a file. */
export async function strayFiles(lake: string): Promise<string[]> {
  const catalog = await openCatalog(lake, tables)
  const named = new Set((await catalog.files()).tables.flatMap((table) => table.files.map((file) => file.path)))
  const entries = await readdir(join(lake, 'data'), { recursive: true, withFileTypes: true })
  const present = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(lake, join(entry.parentPath, entry.name)).split(sep).join('/')),
  )
  return [...[...present].filter((path) => !named.has(path)), ...[...named].filter((path) => !present.has(path))]
}
