import { describe, expect, test } from 'vitest'
import { emptyLake, lakeOf, stateAfterKills } from './kills.ts'

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

describe('an observation of a killed process', () => {
  test('resumes if it was not complete', async () => {
    // Each process resumes where the previous one died. Together they stage nine pages.
    const args = ['observe', '11', 'publish'] as const
    const quiet = await lakeOf(args)
    expect(quiet.streams).toMatchObject([{ stream: 'local/observed', observations: 1, isOpen: false }])
    expect(quiet.files.map(({ files }) => files.length)).toEqual([1, 11])
    const points = [...stagePoints, 'stage.after-commit', 'stage.after-parts', 'stage.after-commit']
    expect(await stateAfterKills(await emptyLake(), args, points)).toEqual(quiet)
  })

  test.each([
    ['publish', [1, 2]],
    ['discard', [1, 0]],
  ])('is complete or resumes if the kill came during its completion (%s)', async (staged, files) => {
    const args = ['observe', '2', staged] as const
    const quiet = await lakeOf(args)
    expect(quiet.files.map((table) => table.files.length)).toEqual(files)
    // Steps up to the commit: one after the other on one lake. Later steps: each on a separate lake, since nothing is left to do after
    // them.
    const at = commitPoints.indexOf('commit.after-commit')
    expect(await stateAfterKills(await emptyLake(), args, commitPoints.slice(0, at + 1))).toEqual(quiet)
    for (const point of commitPoints.slice(at + 1))
      expect(await stateAfterKills(await emptyLake(), args, [point]), point).toEqual(quiet)
  })

  test('is complete if the kill came during its restart', async () => {
    const quiet = await lakeOf(['observe', '3', 'publish'])
    for (const point of ['restart.after-commit', 'restart.after-removal'])
      expect(
        await stateAfterKills(await emptyLake(), ['observe', '3', 'restart'], ['stage.after-close#2', point]),
        point,
      ).toEqual(quiet)
  })
})

test('a list loses no segment and stores no duplicate after kills of its process', async () => {
  const args = ['walk-list', '100'] as const
  const quiet = await lakeOf(args)
  expect(quiet.streams).toMatchObject([
    { stream: 'local/list', tables: [{ rows: 100 }], stretches: { count: 1, items: 100, complete: true } },
  ])
  const points = commitPoints.slice(1, -1).map((point) => `${point}#2`)
  expect(await stateAfterKills(await emptyLake(), args, points)).toEqual(quiet)
})
