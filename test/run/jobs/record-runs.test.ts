import { expect, test, vi } from 'vitest'
import type { StreamDeclaration } from '../../../src/define/index.ts'
import { jobResult } from '../../../src/run/events.ts'
import { createRunRecorder } from '../../../src/run/jobs/run-job.ts'

test('a run that follows records at once that it looked, and rarely where writing is slow', async () => {
  let [nowMs, takesMs] = [0, 10]
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const written: number[] = []
  const recorder = createRunRecorder({
    recordRun: async ({ reached }) => {
      written.push(reached.size)
      nowMs += takesMs
    },
  })
  const outline = { name: 'a', pipeline: 'p-blocks', streams: 1, tables: [], range: null }
  const round = async (): Promise<number> => {
    const stream = { network: 'local', path: 'P/block', parameters: {} }
    recorder.done([{ stream } as StreamDeclaration], jobResult(outline, {}))
    await recorder.afterRound()
    return written.length
  }
  expect(await round()).toBe(1)
  nowMs += 1_900
  expect(await round()).toBe(1)
  nowMs += 200
  takesMs = 1_000
  expect(await round()).toBe(2)
  nowMs += 19_000
  expect(await round()).toBe(2)
  nowMs += 2_000
  expect(await round()).toBe(3)
  clock.mockRestore()
})

test('a record that could not be written is written with the next one', async () => {
  const written: string[][] = []
  let isHeld = true
  const recorder = createRunRecorder({
    recordRun: async ({ reached, measures }) => {
      if (isHeld) throw new Error('held')
      written.push([...reached.keys(), ...measures.map(({ job }) => job)])
    },
  })
  const stream = { network: 'local', path: 'P/block', parameters: {} }
  const outline = { name: 'a', pipeline: 'p-blocks', streams: 1, tables: [], range: null }
  recorder.done([{ stream } as StreamDeclaration], jobResult(outline, { pages: 1 }))
  await expect(recorder.afterRound()).rejects.toThrow('held')
  isHeld = false
  await recorder.afterRound()
  expect(written).toEqual([['local/P/block', 'a']])
  expect(recorder.rest()).toEqual({ reached: new Map(), measures: [] })
})
