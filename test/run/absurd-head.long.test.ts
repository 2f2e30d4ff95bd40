import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { callRpc } from '../../src/fetch/json-rpc.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { planPipelines } from '../../src/run/jobs/plan-pipelines.ts'
import { type Door, openDoor } from './door.ts'
import { committedSlices, exportLake } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { newLake } from './lake-run.ts'

const blocks = 250
const unit = 100

let node: Devnet
let honestHead: object
beforeAll(async () => {
  node = await startDevnet({ seed: 33, blocks })
  const transport = createTransport({ baseUrl: node.url })
  honestHead = (await callRpc(transport, '/ext/index/P/block', 'index.getLastAccepted', { encoding: 'hex' })) as object
  await transport.close()
})
afterAll(() => node.close())

/** The node with a different head of its index. */
function doorWithHead(index: number): Promise<Door> {
  return openDoor(node, ({ method }) =>
    method === 'index.getLastAccepted' ? { result: { ...honestHead, index: String(index) } } : null,
  )
}

test.each([Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER])('a run to index %i can be planned', async (index) => {
  const door = await doorWithHead(index)
  try {
    const jobs = [jobOf(pBlocksPipeline, { unit: 1 })]
    const [planned] = await planPipelines({ nodeUrl: door.url, lake: { folder: newLake() }, jobs })
    const all = Number.MAX_SAFE_INTEGER - 1
    expect(planned).toMatchObject({ head: index + 1, units: all, requests: all, records: all })
  } finally {
    await door.close()
  }
})

test('a run to a head that does not exist commits the complete units, and resumes with an honest node', async () => {
  const door = await doorWithHead(Number.MAX_SAFE_INTEGER - 1)
  const lake = newLake()
  const events: RunEvent[] = []
  try {
    // One thread only: with several threads, the first one that reaches the end names its own unit.
    const onEvent = (event: RunEvent) => events.push(event)
    await expect(
      exportLake({ node: door, lake, unit, to: Number.MAX_SAFE_INTEGER, threads: 1, onEvent }),
    ).rejects.toMatchObject({ exitCode: 3, code: 'index.ends-early', details: { index: blocks } })
  } finally {
    await door.close()
  }
  expect(committedSlices(events)).toEqual([
    [1, 100],
    [100, 200],
  ])
  const { events: more } = await exportLake({ node, lake, unit })
  expect(committedSlices(more)).toEqual([[200, 251]])
})
