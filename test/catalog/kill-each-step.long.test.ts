import { beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { emptyLake, lakeOf, startWork } from './kills.ts'
import { lakeState } from './lake-state.ts'
import { startChild } from './process.ts'

const points = [
  'run.registered',
  'commit.before-open',
  'commit.before-begin',
  'commit.after-files',
  'commit.after-coverage',
  'commit.after-commit',
  'commit.after-close',
  'publish.after-catalog-copy',
  'publish.after-catalog-rename',
  'run.before-end',
  'run.after-end',
]
const repeated = ['commit.after-files#3', 'commit.after-commit#3']

const work = ['export', 'P', '40', '10'] as const

async function exportAll(lake: string, dieAt?: string) {
  return startWork(lake, work, dieAt).ended
}

describe('a killed process', () => {
  let quiet: Awaited<ReturnType<typeof lakeOf>>
  beforeAll(async () => {
    quiet = await lakeOf(work)
  })

  test.each([...points, ...repeated])('that dies at %s loses no row and leaves no file', async (point) => {
    const lake = await emptyLake()
    expect((await exportAll(lake, point)).signal).toBe('SIGKILL')
    expect((await exportAll(lake)).code).toBe(0)
    expect(await lakeState(lake)).toEqual(quiet)
  })

  test.each(['recovery.before-removal', 'recovery.after-removal'])(
    'that dies at %s is recovered at the next start',
    async (point) => {
      const lake = await emptyLake()
      expect((await exportAll(lake, 'commit.after-files#2')).signal).toBe('SIGKILL')
      expect((await exportAll(lake, point)).signal).toBe('SIGKILL')
      expect((await exportAll(lake)).code).toBe(0)
      expect(await lakeState(lake)).toEqual(quiet)
    },
  )

  test('that dies at any moment leaves a readable catalog with complete commits only', async () => {
    const lake = await emptyLake()
    for (let round = 0; round < 8; round++) {
      const child = startChild(['export', lake, 'P', '100000', '10'])
      await child.waitFor('committed')
      await new Promise((resolve) => setTimeout(resolve, 150 * Math.random()))
      child.process.kill('SIGKILL')
      await child.ended
      const last = Math.max(...child.said.map((message) => message['committed'] ?? 0))
      const [stream] = (await (await openCatalog({ folder: lake }, tables)).status()).streams
      const ends = stream?.tables.map((table) => [table.slices.length, table.slices[0]?.from, table.rows])
      const to = stream?.tables[0]?.slices[0]?.to ?? 0
      expect(ends).toEqual([
        [1, 0, to],
        [1, 0, to],
      ])
      // Reported commits are in the catalog. A commit that has not been reported yet may be there, too.
      expect([last, last + 10]).toContain(to)
    }
  })

  test('loses nothing of its own or of a concurrent process', async () => {
    const lake = await emptyLake()
    const work = async (chain: string) => {
      for (let kills = 0; ; kills++) {
        const child = startChild(['export', lake, chain, '200', '10'])
        await child.waitFor('run')
        if (kills < 4) setTimeout(() => child.process.kill('SIGKILL'), 400 * Math.random())
        const { code } = await child.ended
        expect(child.said.filter((message) => 'error' in message)).toEqual([])
        if (code === 0) return
      }
    }
    await Promise.all([work('P'), work('X')])
    // An undisturbed run at the end recovers the state after the last kill.
    expect((await startChild(['export', lake, 'P', '200', '10']).ended).code).toBe(0)
    const state = await lakeState(lake)
    expect(state.stray).toEqual([])
    expect(state.leftovers).toEqual([])
    expect(
      state.streams.map(({ stream, tables: own }) => [stream, own.map((table) => [table.slices, table.rows])]),
    ).toEqual(
      ['local/P/block', 'local/X/block'].map((stream) => [
        stream,
        [
          [[{ from: 0, to: 200 }], 200],
          [[{ from: 0, to: 200 }], 200],
        ],
      ]),
    )
  })
})
