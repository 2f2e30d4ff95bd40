import { expect, test } from 'vitest'
import { openBoss } from '../../../src/run/work/queue.ts'

// The package is not installed where these tests run, and some of these machines have a Node version older than the required one.
const unasked = () => Promise.reject(new Error('Nothing is asked.'))
const database = { executeSql: unasked, transaction: unasked, close: unasked }

test('workers without pg-boss or on an older Node are refused, with a hint to install or upgrade', async () => {
  const refused = openBoss(database, () => undefined)
  await expect(refused).rejects.toMatchObject({
    exitCode: 2,
    code: expect.stringMatching(/^work\.(node|package)$/),
    hint: expect.stringMatching(/npm install pg-boss@12\.35\.0|Node 22\.12 or newer/),
  })
})
