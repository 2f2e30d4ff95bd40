import { expect, test } from 'vitest'
import { tasksText } from '../../../../src/cli/commands/status/tasks-text.ts'

test('says what workers have to do', () => {
  expect(tasksText({ waiting: 1200, underWay: 4, again: 0, done: 30, givenUp: 0 })).toBe(
    'tasks of workers: 4 under way, 1,200 waiting; 30 done, 0 given up in the last days',
  )
  expect(tasksText({ waiting: 0, underWay: 0, again: 2, done: 0, givenUp: 1 })).toBe(
    'tasks of workers: 0 under way, 0 waiting, 2 failed and to be tried again; 0 done, 1 given up in the last days',
  )
})
