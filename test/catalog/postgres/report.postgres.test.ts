import { expect, test } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { reportData } from '../../../src/report/make-report.ts'
import { command, newLake, strayFiles } from '../../run/lake-run.ts'
import { newPlace } from './database.ts'

test('a report on a lake in PostgreSQL shows the same as one on a lake with a catalog file', async () => {
  const node = await startDevnet({ seed: 7, blocks: 200 })
  const flags = ['--node-url', node.url, '--log-level', 'error']
  const embedded = newLake()
  const { folder, url } = await newPlace()
  for (const lake of [
    ['--lake', embedded],
    ['--lake', url, '--data', folder],
  ]) {
    const { code, stderr } = await command(['run', 'p-blocks', 'c-blocks', ...flags, ...lake])
    expect(code, stderr).toBe(0)
  }
  const [one, other] = await Promise.all(
    [embedded, folder].map((lakeDir) => reportData({ lake: { folder: lakeDir }, nowMs: 0 })),
  )
  // These count by the time of commits. A run that crosses the end of an interval gives more rows.
  const isTimed = (title: string) => title === 'Growth' || title === 'Work'
  const answered = (data: typeof one) =>
    data!.sections.flatMap(({ title, answers }) =>
      answers.map((answer) => {
        const rows = answer.failure ?? (isTimed(title) ? 'some' : answer.rows.length)
        return `${title}: ${answer.title}: ${rows} rows`
      }),
    )
  expect(answered(one).length).toBeGreaterThan(10)
  // The catalog itself shows the current state. The published file was copied before the end of the run was recorded.
  expect(answered(other)).toEqual(expect.arrayContaining(answered(one)))
  expect(other!.preparation).toContain('chainlake backup')
  expect(await strayFiles(folder)).toEqual([])
  await node.close()
})
