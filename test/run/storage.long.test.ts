import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { chainlake } from '../cli/in-process.ts'
import type { Finished } from '../cli/spawn.ts'
import { exportLake } from './export-lake.ts'
import { contents, type Ended, ended, newLake, wholeLake } from './lake-run.ts'

const blocks = 3_000
const unit = 1_000

let node: Devnet
let quiet: Awaited<ReturnType<typeof wholeLake>>
const folder = mkdtempSync(join(tmpdir(), 'chainlake-storage-'))
beforeAll(async () => {
  node = await startDevnet({ seed: 51, blocks })
  const lake = newLake()
  await exportLake({ node, lake, unit, raw: true })
  quiet = await wholeLake(lake)
})
afterAll(async () => {
  await node.close()
  rmSync(folder, { recursive: true, force: true })
})

const cli = join(packageRoot(), 'dist/src/cli/main.js')
const runArgs = (lake: string) => [
  'run',
  'p-blocks',
  '--node-url',
  node.url,
  '--lake',
  lake,
  '--raw',
  '--unit',
  `${unit}`,
]

/** Runs a shell script with the command line in `$@`. */
function shell(script: string, args: readonly string[]): Promise<Ended> {
  return ended(
    spawn('/bin/sh', ['-c', script, 'sh', process.execPath, cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
  )
}

/** Runs the work as an unprivileged user if the tests run as root, because root may write everywhere. */
async function asUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

function expectRefusal({ code, stderr }: Finished, message: RegExp): void {
  expect(code, stderr).toBe(5)
  expect(stderr).toMatch(message)
  expect(stderr).toMatch(/^hint: /m)
  expect(stderr).not.toMatch(/^\s+at /m)
}

describe('a run with an unusable lake path', () => {
  test('is refused when the path is a file', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, 'precious')
    expectRefusal(await chainlake(runArgs(file)), /^error: The path of the lake is a file, not a folder\.$/m)
    expectRefusal(await chainlake(runArgs(join(file, 'below'))), /^error: The path of the lake is a file/m)
    expect(readFileSync(file, 'utf8')).toBe('precious')
  })

  test('is refused when the folder contains other files', async () => {
    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'thesis.txt'), 'precious')
    const { code, stderr } = await chainlake(runArgs(other))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: The folder is not empty and contains no lake\.$/m)
    expect(readFileSync(join(other, 'thesis.txt'), 'utf8')).toBe('precious')
  })

  test('is refused when the file system accepts no folders', async () => {
    expectRefusal(await chainlake(runArgs('/proc/lake')), /^error: The file system refused/m)
  })

  test('is refused when the user may not write the folder, with or without a lake', async () => {
    const lake = newLake()
    await exportLake({ node, lake, unit, raw: true, to: unit })
    const rows = await contents(lake)
    const locked = join(folder, 'locked')
    mkdirSync(locked, { mode: 0o555 })
    spawnSync('chmod', ['-R', 'a-w,a+rX', join(lake, '..')])
    spawnSync('chmod', ['a+rx', folder])
    for (const place of [join(locked, 'lake'), lake])
      expectRefusal(await asUser(() => chainlake(runArgs(place))), /^error: The lake cannot be written\.$/m)
    spawnSync('chmod', ['-R', 'u+w', join(lake, '..'), locked])
    expect(await contents(lake)).toEqual(rows)
  })
})

describe('views that cannot be published', () => {
  test('fail the run but keep its commits, and the next run publishes them', async () => {
    const lake = newLake()
    await exportLake({ node, lake, unit, raw: true, to: unit })
    rmSync(join(lake, 'lake.duckdb'))
    mkdirSync(join(lake, 'lake.duckdb', 'in-the-way'), { recursive: true })
    await expect(exportLake({ node, lake, unit, raw: true })).rejects.toMatchObject({ code: 'storage.views' })
    rmSync(join(lake, 'lake.duckdb'), { recursive: true })
    const { summary, events } = await exportLake({ node, lake, unit, raw: true })
    expect(summary.jobs[0]).toMatchObject({ upToDate: true })
    expect(events.some(({ kind }) => kind === 'published')).toBe(true)
    expect(await wholeLake(lake)).toEqual(quiet)
  })
})

describe('a disk that fills up', () => {
  test('during a write of Parquet fails the run with a hint, and the next run completes the lake', async () => {
    const lake = newLake()
    const limited = await shell('ulimit -f 900; exec "$@"', runArgs(lake))
    expectRefusal(limited, /^error: (The disk is full|The file may not become that large)/m)
    await exportLake({ node, lake, unit, raw: true })
    expect(await wholeLake(lake)).toEqual(quiet)
  })
})
