import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { committedLake, runOver } from './committed-lake.ts'
import { eventsPart, stream, writePart } from './lake.ts'
import { sql } from './sql.ts'

const nothing = { died: [], removed: [], unknown: [], restarted: [] }

/** A lake with functions that start and end runs. The first run has ended after a commit of everything that it wrote. */
async function lakeWithRuns() {
  const { lake, catalog } = await committedLake(1)
  const start = (command = 'run') => catalog.startRun({ streams: command === 'run' ? [stream] : [], command })
  const orphan = (runId: string, sequence: number) => writePart(lake, eventsPart(runId, 0, 10, sequence)).path
  return { lake, catalog, start, orphan }
}

test('a run searches for leftover files only if an earlier run did not end normally', async () => {
  const { lake, start, orphan } = await lakeWithRuns()
  const first = await start()
  const left = orphan(first.id, 7)
  await first.end('done')
  const second = await start()
  expect(second.recovery).toEqual(nothing)
  await second.end('stopped')
  const third = await start()
  expect(third.recovery).toEqual({ ...nothing, removed: [left] })
  const [again, strange] = [orphan(third.id, 8), 'data/events/strange.parquet']
  writeFileSync(join(lake, strange), '')
  await third.end('failed')
  const fourth = await start()
  expect(fourth.recovery).toEqual({ ...nothing, removed: [again], unknown: [strange] })
  await fourth.end('done')
  const fifth = await start()
  expect(fifth.recovery).toEqual(nothing)
  await fifth.end('done')
})

test('compact, expire and repair always search for leftover files', async () => {
  const { start, orphan } = await lakeWithRuns()
  for (const [position, command] of ['compact', 'expire', 'repair'].entries()) {
    const run = await start()
    const left = orphan(run.id, 7 + position)
    await run.end('done')
    const tending = await start(command)
    expect(tending.recovery.removed).toEqual([left])
    await tending.end('done')
  }
})

test('leftover files of a failed run are removed after concurrent runs, even if the clock was set back', async () => {
  const { lake, catalog, start, orphan } = await lakeWithRuns()
  const failing = await start()
  const beside = await catalog.startRun({ streams: [{ ...stream, path: 'X/block' }], command: 'run' })
  const left = orphan(failing.id, 7)
  await failing.end('failed')
  await beside.end('done')
  await sql(lake, `UPDATE chainlake.run SET ended = started - INTERVAL 1 HOUR WHERE run_id = '${failing.id}'`)
  const next = await start()
  expect(next.recovery.removed).toEqual([left])
  await next.end('done')
  expect((await runOver({ lake, catalog }, 10, 1)).length).toBe(1)
})

test('leftover files of a run that was wrongly considered dead are removed after it has ended', async () => {
  const { lake, start, orphan } = await lakeWithRuns()
  const sleeping = await start()
  await sql(lake, `UPDATE chainlake.run SET ended = now(), outcome = 'died' WHERE run_id = '${sleeping.id}'`)
  await (await start()).end('done')
  const left = orphan(sleeping.id, 7)
  await sleeping.end('failed')
  const next = await start()
  expect(next.recovery.removed).toEqual([left])
  await next.end('done')
})
