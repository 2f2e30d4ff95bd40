import { expect, test } from 'vitest'
import { emptyLake, lakeOf, stateAfterKills } from './kills.ts'

/** Each kill occurs in the second unit of the remaining work, so that each process resumes from a different commit. */
test('a process that is killed at each step of a commit loses no row and leaves no file', async () => {
  const work = ['export', 'P', '100', '10'] as const
  const quiet = await lakeOf(work)
  const points = [
    'run.registered',
    'commit.before-open#2',
    'commit.before-begin#2',
    'recovery.before-removal',
    'recovery.after-removal',
    'commit.after-files#2',
    'commit.after-coverage#2',
    'commit.after-commit#2',
    'commit.after-close#2',
    'publish.after-catalog-copy',
    'publish.after-catalog-rename',
    'run.before-end',
    'run.after-end',
  ]
  expect(await stateAfterKills(await emptyLake(), work, points)).toEqual(quiet)
})

test('an observation resumes or is complete after a kill at each step', async () => {
  const work = ['observe', '11', 'publish'] as const
  const quiet = await lakeOf(work)
  expect(quiet.streams).toMatchObject([{ stream: 'local/observed', observations: 1, isOpen: false }])
  const points = [
    'observation.before-open',
    'observation.after-open',
    'stage.before-open#2',
    'stage.before-begin#2',
    'stage.after-parts#2',
    'stage.after-commit#2',
    'stage.after-close#2',
    'commit.before-begin',
    'commit.after-removal',
  ]
  expect(await stateAfterKills(await emptyLake(), work, points)).toEqual(quiet)
})

test('an observation is complete after a kill during its restart', async () => {
  const quiet = await lakeOf(['observe', '3', 'publish'])
  const points = ['stage.after-close#2', 'restart.after-commit']
  expect(await stateAfterKills(await emptyLake(), ['observe', '3', 'restart'], points)).toEqual(quiet)
  points[1] = 'restart.after-removal'
  expect(await stateAfterKills(await emptyLake(), ['observe', '3', 'restart'], points)).toEqual(quiet)
})
