import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmptyLake } from '../src/catalog/lake.ts'
import type { CommitTimes } from './commit-child.ts'
import { endWithBench } from './end-with-bench.ts'
import { programs } from './programs.ts'

/** URL of a PostgreSQL server on which the bench may create databases. */
const server = process.env['CHAINLAKE_POSTGRES'] ?? ''
/** Number of commits of all writers together. Commits to a file take longer. */
const commits = { inFile: 200, inPostgres: 800 }

/** Commits per second of one process and of eight concurrent ones, with a catalog in a file and in PostgreSQL. */
export async function commitLines(): Promise<string[]> {
  const lines = [await lineOf('in a file, one writer', { writers: 1, commits: commits.inFile, catalog: null })]
  if (server === '')
    return [
      ...lines,
      'commits in PostgreSQL: CHAINLAKE_POSTGRES is not set (.ci/postgres-server npm run bench -- commits)',
    ]
  for (const [name, writers] of [
    ['one writer', 1],
    ['eight writers', 8],
  ] as const)
    lines.push(
      await lineOf(`in PostgreSQL, ${name}`, { writers, commits: commits.inPostgres, catalog: await newDatabase() }),
    )
  return lines
}

type Writing = { readonly writers: number; readonly commits: number; readonly catalog: string | null }

async function lineOf(name: string, { writers, commits, catalog }: Writing): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-bench-'))
  try {
    const lake = join(folder, 'lake')
    await createEmptyLake({ folder: lake, ...(catalog === null ? {} : { catalog }) })
    // A catalog in PostgreSQL is not in the folder of the lake.
    if (catalog !== null) process.env['PGPASSWORD'] = new URL(catalog).password
    const children = Array.from({ length: writers }, (_, index) =>
      startWriter(lake, `chain${index}`, commits / writers),
    )
    await Promise.all(children.map(({ ready }) => ready))
    const times = await Promise.all(children.map(({ begin }) => begin()))
    const seconds = (Math.max(...times.map(({ ended }) => ended)) - Math.min(...times.map(({ began }) => began))) / 1000
    const sorted = times.flatMap(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
    const at = (share: number) => `${sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1)} ms`
    return `commits ${name}: ${(commits / seconds).toFixed(0)} a second, ${at(0.5)} half of them, ${at(0.99)} 99 of 100`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function startWriter(lake: string, chain: string, count: number) {
  const child = spawn(process.execPath, [programs.commitChild, lake, chain, String(count)], { stdio: 'pipe' })
  endWithBench(child)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      texts[name] += chunk.toString()
    })
  const closed = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`A writer ended with ${code}: ${texts.stderr}`)
    return JSON.parse(texts.stdout) as CommitTimes
  })
  const isReady = (async () => {
    while (!texts.stderr.includes('ready')) await once(child.stderr, 'data')
  })()
  return {
    ready: Promise.race([isReady, closed]),
    begin: () => {
      child.stdin.write('begin\n')
      return closed
    },
  }
}

async function newDatabase(): Promise<string> {
  const { default: pg } = await import('pg')
  const name = `bench_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
