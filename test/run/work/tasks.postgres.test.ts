import { afterAll, beforeAll, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { newPlace } from '../../catalog/postgres/database.ts'
import { expectSameRows, newTaskLake, quietRows } from './task-executors.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 7, blocks: 300 })
})
afterAll(() => node.close())

test('tasks leave the rows of a quiet run in a lake with its catalog in PostgreSQL, also when executors are killed and two do the same task', async () => {
  await expectSameRows(newTaskLake(node, await newPlace()), await quietRows(node))
})
