import { expect, test } from 'vitest'
import { shippedLists } from '../../src/config/shipped-lists.ts'
import { packageVersion } from '../../src/lib/package.ts'
import { type Task, taskJson, taskOf } from '../../src/run/work/task.ts'
import { compileLists } from '../../src/yaml-lists/check-list.ts'
import { compileList } from '../../src/yaml-lists/list-pipeline.ts'
import { listOf, simpleList } from './parsed-list.ts'

/** JSON as PostgreSQL stores it: with sorted keys. */
function stored(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(stored)
  if (typeof json !== 'object' || json === null) return json
  const entries = Object.entries(json).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, value]) => [key, stored(value)]))
}

test('a list is the same after it has travelled with a task as JSON', () => {
  for (const pipeline of [compileList('mine', listOf(simpleList)), ...shippedLists()]) {
    const { name, definition } = pipeline
    const message = { pipeline: name, definition, values: {}, facts: { node: null, answers: [] }, ids: {} }
    const task: Task = {
      chainlake: packageVersion(),
      lake: 'a-lake',
      job: name,
      message,
      urls: [],
      streams: [],
      slice: null,
      chainCheckpoint: null,
    }
    const arrived = taskOf(stored(JSON.parse(JSON.stringify(taskJson(task))))).message.definition
    expect(arrived).toEqual(definition)
    const [again] = compileLists({ [name]: arrived })
    expect(again?.definition).toEqual(definition)
    // As text, which also compares the order of the columns.
    expect(JSON.stringify(again?.tables)).toBe(JSON.stringify(pipeline.tables))
    expect(again?.parameters).toEqual(pipeline.parameters)
  }
})
