import { describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { createLake } from '../../src/catalog/catalog.ts'
import { newLakeDir } from './lake.ts'
import { lakeState } from './lake-state.ts'
import { startChild } from './process.ts'

async function emptyLake(): Promise<string> {
  const lake = newLakeDir()
  await createLake(lake, tables)
  return lake
}

async function quietState(args: readonly string[]) {
  const lake = await emptyLake()
  const [mode = '', ...rest] = args
  expect(await startChild([mode, lake, ...rest]).ended).toEqual({ code: 0, signal: null })
  const state = await lakeState(lake)
  expect(state.stray).toEqual([])
  expect(state.leftovers).toEqual([])
  return state
}

/** Kills a process at each of the points in turn, then lets one work to the end. */
async function stateAfterKills(args: readonly string[], points: readonly string[]) {
  const lake = await emptyLake()
  const [mode = '', ...rest] = args
  for (const dieAt of points) expect((await startChild([mode, lake, ...rest], { dieAt }).ended).signal).toBe('SIGKILL')
  expect((await startChild([mode, lake, ...rest]).ended).code).toBe(0)
  return lakeState(lake)
}

const stagePoints = [
  'observation.before-open',
  'observation.after-open',
  'stage.before-open#2',
  'stage.before-begin#2',
  'stage.after-parts#2',
  'stage.after-commit#2',
  'stage.after-close#2',
]
const commitPoints = [
  'commit.before-open',
  'commit.before-begin',
  'commit.after-files',
  'commit.after-coverage',
  'commit.after-commit',
  'commit.after-close',
  'commit.after-removal',
]

/** A process takes a second on a busy machine. */
const patience = 180_000

describe('an observation whose process is killed', () => {
  test('before it is complete is resumed', { timeout: patience }, async () => {
    // Each process goes on where the one before it died; together they stage nine pages.
    const args = ['observe', '11', 'publish']
    const quiet = await quietState(args)
    expect(quiet.streams).toMatchObject([{ stream: 'local/observed', observations: 1, isOpen: false }])
    expect(quiet.files.map(({ files }) => files.length)).toEqual([1, 11])
    const points = [...stagePoints, 'stage.after-commit', 'stage.after-parts', 'stage.after-commit']
    expect(await stateAfterKills(args, points)).toEqual(quiet)
  })

  test.each([
    ['publish', [1, 2]],
    ['discard', [1, 0]],
  ])('while it is completed is complete or resumed (%s)', { timeout: patience }, async (staged, files) => {
    const args = ['observe', '2', staged]
    const quiet = await quietState(args)
    expect(quiet.files.map((table) => table.files.length)).toEqual(files)
    // Those before the commit one after the other on one lake; the others each on its own, since nothing is left to do after them.
    const at = commitPoints.indexOf('commit.after-commit')
    expect(await stateAfterKills(args, commitPoints.slice(0, at + 1))).toEqual(quiet)
    for (const point of commitPoints.slice(at + 1)) expect(await stateAfterKills(args, [point]), point).toEqual(quiet)
  })

  test('while it is started again', { timeout: patience }, async () => {
    const quiet = await quietState(['observe', '3', 'publish'])
    for (const point of ['restart.after-commit', 'restart.after-removal'])
      expect(await stateAfterKills(['observe', '3', 'restart'], ['stage.after-close#2', point]), point).toEqual(quiet)
  })
})

test('a list whose process is killed loses no stretch and stores none twice', { timeout: patience }, async () => {
  const args = ['walk-list', '100']
  const quiet = await quietState(args)
  expect(quiet.streams).toMatchObject([
    { stream: 'local/list', tables: [{ rows: 100 }], stretches: { count: 1, items: 100, complete: true } },
  ])
  const points = commitPoints.slice(1, -1).map((point) => `${point}#2`)
  expect(await stateAfterKills(args, points)).toEqual(quiet)
})
