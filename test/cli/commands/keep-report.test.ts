import { expect, test } from 'vitest'
import { keepReport } from '../../../src/cli/commands/write-report.ts'

const published = { kind: 'published', snapshotId: 1, seconds: 0 } as const

/** A page that the test completes or fails by hand. */
function pages() {
  const makings: { readonly done: () => void; readonly fail: (error: Error) => void }[] = []
  const write = () => new Promise<void>((resolve, reject) => makings.push({ done: resolve, fail: reject }))
  return { makings, write }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('one page is written at a time, later publications go into the next page, and the end writes the last one', async () => {
  const { makings, write } = pages()
  const { onEvent, end } = keepReport({ write, stop: new AbortController().signal, failed: () => undefined })
  onEvent({ kind: 'committed', pipeline: 'p', slice: null, snapshotId: 1, rows: 1 })
  expect(makings.length).toBe(0)
  for (const _ of [1, 2, 3]) onEvent(published)
  expect(makings.length).toBe(1)
  makings[0]?.done()
  await turn()
  expect(makings.length).toBe(2)
  const ending = end()
  makings[1]?.done()
  await turn()
  expect(makings.length).toBe(3)
  makings[2]?.done()
  await ending
})

test('a page that fails during a run is logged and retried, and a failure of the last page fails the command', async () => {
  const { makings, write } = pages()
  const told: unknown[] = []
  const { onEvent, end } = keepReport({
    write,
    stop: new AbortController().signal,
    failed: (error) => told.push(error),
  })
  const error = new Error('full')
  onEvent(published)
  makings[0]?.fail(error)
  await turn()
  expect(told).toEqual([error])
  onEvent(published)
  makings[1]?.done()
  await turn()
  const ending = end()
  await turn()
  makings[2]?.fail(error)
  await expect(ending).rejects.toBe(error)
})
