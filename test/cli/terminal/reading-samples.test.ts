import { expect, test } from 'vitest'
import { createJobStates, ratesOf } from '../../../src/cli/terminal/progress.ts'

test('a source that answers hundreds of times a second leaves ten samples a second, and its rate is the same', () => {
  let nowMs = 0
  const states = createJobStates(() => nowMs)
  states.start(['evm-blocks'])
  let most = 0
  for (let done = 0; done <= 10_000; done++) {
    nowMs = 2 * done
    const state = states.onEvent({
      kind: 'progress',
      pipeline: 'evm-blocks',
      done,
      total: 10_000,
      rows: done,
      bytes: 0,
    })!
    most = Math.max(most, state.samples.length)
  }
  expect(most).toBeLessThan(160)
  expect(ratesOf(states.all()[0]!)!.perSecond).toBeCloseTo(500)
})
