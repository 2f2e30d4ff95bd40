import { expect, test } from 'vitest'
import { emptyLake, lakeOf, stateAfterKills } from './kills.ts'

/**
 * The steps that decide; each of them in the long tests. Each kill comes in the second unit of what the process has left to
 * do, so that each goes on from another commit.
 */
test('a process that is killed at the steps of a commit loses nothing and leaves nothing', async () => {
  const work = ['export', 'P', '100', '10'] as const
  const quiet = await lakeOf(work)
  const points = [
    'commit.before-begin#2',
    'recovery.before-removal',
    'commit.after-files#2',
    'commit.after-commit#2',
    'publish.after-catalog-copy',
    'run.before-end',
  ]
  expect(await stateAfterKills(await emptyLake(), work, points)).toEqual(quiet)
})
