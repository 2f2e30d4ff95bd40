import { describe, expect, test } from 'vitest'
import { catalogProcess, stateAfterKills } from '../../kills.ts'
import { lakeState } from '../lake-state.ts'
import { startChild } from '../process.ts'
import { ask, newPostgresLake } from './database.ts'

const works: readonly [string[], readonly string[]][] = [
  [
    ['export', 'P', '100', '10'],
    [
      'run.registered',
      'commit.before-open#2',
      'commit.before-begin#2',
      'recovery.before-removal',
      'recovery.after-removal',
      'commit.after-files#2',
      'commit.after-coverage#2',
      'commit.after-commit#2',
      'commit.after-close#2',
      'run.before-end',
      'run.after-end',
    ],
  ],
  [
    ['observe', '4', 'keep'],
    [
      'observation.after-open',
      'stage.before-begin',
      'stage.after-parts',
      'stage.after-commit',
      'commit.after-files',
      'commit.after-commit',
    ],
  ],
  [
    ['walk-list', '60'],
    ['commit.after-files#2', 'commit.after-commit#2'],
  ],
]

describe('a catalog in PostgreSQL', () => {
  test.each(works)('has the same content as a catalog file after kills at each step: %s', async (work, points) => {
    const killed = catalogProcess(work)
    const quiet = await stateAfterKills(killed, [])
    const newLake = async () => (await newPostgresLake()).folder
    expect(await stateAfterKills({ ...killed, newLake }, points)).toEqual(quiet)
  })

  test('frees the stream of a killed process but not that of a live one', async () => {
    const { folder } = await newPostgresLake()
    const holder = startChild(['hold-stream', folder, 'P'])
    await holder.waitFor('part')
    const refused = startChild(['export', folder, 'P', '10', '10'])
    expect((await refused.waitFor('error'))['code']).toBe('catalog.stream-locked')
    holder.process.kill('SIGKILL')
    await holder.ended
    const next = startChild(['export', folder, 'P', '10', '10'])
    const { recovery } = await next.waitFor('recovery')
    expect(recovery).toMatchObject({ died: [expect.any(String)], removed: [expect.any(String)] })
    expect((await next.ended).code).toBe(0)
  })

  test('stores every commit of eight concurrent processes exactly once', async () => {
    const { folder, url } = await newPostgresLake()
    const chains = Array.from({ length: 8 }, (_, index) => `chain${index}`)
    const ends = await Promise.all(chains.map((chain) => startChild(['export', folder, chain, '300', '10']).ended))
    expect(ends.map(({ code }) => code)).toEqual(chains.map(() => 0))
    const [snapshots] = await ask(
      url,
      'SELECT count(*)::int AS n, max(snapshot_id)::int AS latest FROM public.ducklake_snapshot',
    )
    expect(snapshots).toEqual({ n: 241, latest: 240 })
    const state = await lakeState(folder)
    expect(state.stray).toEqual([])
    expect(state.streams.map(({ tables }) => tables.map(({ slices, rows }) => [slices, rows]))).toEqual(
      chains.map(() => ['containers', 'p_blocks'].map(() => [[{ from: 0, to: 300 }], 300])),
    )
    const ids = await ask(
      url,
      'SELECT count(*)::int AS n, count(DISTINCT row_id_start)::int AS starts FROM public.ducklake_data_file GROUP BY table_id',
    )
    expect(ids).toEqual([1, 2].map(() => ({ n: 240, starts: 240 })))
  })
})
