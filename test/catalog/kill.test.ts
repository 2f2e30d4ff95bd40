import { expect, test } from 'vitest'
import { catalogProcess, stateAfterKills } from '../kills.ts'

/**
 * The decisive steps; `test/kills.long.test.ts` covers every step. Each kill occurs in the second unit of the remaining work, so that each
 * process resumes from a different commit.
 */
test('a process that is killed at the main steps of a commit loses no row and leaves no file', async () => {
  const killed = catalogProcess(['export', 'P', '100', '10'])
  const quiet = await stateAfterKills(killed, [])
  expect(quiet).toMatchObject({ stray: [], leftovers: [] })
  const points = [
    'commit.before-begin#2',
    'recovery.before-removal',
    'commit.after-files#2',
    'commit.after-commit#2',
    'publish.after-catalog-copy',
    'run.before-end',
  ]
  expect(await stateAfterKills(killed, points)).toEqual(quiet)
})
