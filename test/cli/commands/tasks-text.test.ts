import { expect, test } from 'vitest'
import { tasksText } from '../../../src/cli/commands/show-status.ts'

test('status counts the tasks of workers by their state', () => {
  expect(tasksText({ waiting: 1200, underWay: 4, again: 0, done: 30, givenUp: 0 })).toBe(
    'worker tasks: 4 running, 1,200 waiting; 30 done, 0 failed for good in the last days',
  )
  expect(tasksText({ waiting: 0, underWay: 0, again: 2, done: 0, givenUp: 1 })).toBe(
    'worker tasks: 0 running, 0 waiting, 2 waiting for a retry; 0 done, 1 failed for good in the last days',
  )
})
