import { describe, expect, test } from 'vitest'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { shippedLists } from '../../../src/config/shipped-lists.ts'
import { taskPipeline } from '../../../src/run/work/task.ts'
import { compileList } from '../../../src/yaml-lists/list-pipeline.ts'
import { listOf, simpleList } from '../../yaml-lists/parsed-list.ts'

const own = { ...pBlocksPipeline, name: 'mine', module: { path: '/srv/mine.mjs', hash: 'aa' } }
const ofList = compileList('my-list', listOf(simpleList))

describe('the pipeline of a task is', () => {
  test('a built-in one or a shipped list by its name', () => {
    expect(taskPipeline({ pipeline: 'p-blocks' }, [])).toBe(pBlocksPipeline)
    const [shipped] = shippedLists()
    expect(taskPipeline({ pipeline: shipped!.name, definition: shipped!.definition }, [])).toBe(shipped)
  })

  test('a list that the task contains as data', () => {
    expect(taskPipeline({ pipeline: 'my-list', definition: ofList.definition }, [])).toMatchObject({
      name: 'my-list',
      definition: ofList.definition,
    })
  })

  test('one of a module with the same hash, wherever the module is', () => {
    expect(taskPipeline({ pipeline: 'mine', module: { path: 'mine.mjs', hash: 'aa' } }, [own])).toBe(own)
  })
})

test.each([
  ['another hash', { pipeline: 'mine', module: { path: 'mine.mjs', hash: 'bb' } }, 'another version of the module'],
  [
    'a module that the worker has not loaded',
    { pipeline: 'other', module: { path: 'other.mjs', hash: 'aa' } },
    'no module',
  ],
  [
    'a built-in pipeline as if a module exported it',
    { pipeline: 'p-blocks', module: { path: 'p.mjs', hash: '' } },
    'no module',
  ],
])('a task with %s is refused, with advice', (_, name, message) => {
  expect(() => taskPipeline(name, [own])).toThrow(
    expect.objectContaining({
      code: 'work.definition',
      message: expect.stringContaining(message),
      hint: expect.any(String),
    }),
  )
})

test('a task with the pipeline of another version of chainlake is refused', () => {
  expect(() => taskPipeline({ pipeline: 'mine' }, [own])).toThrow(expect.objectContaining({ code: 'work.pipeline' }))
})
