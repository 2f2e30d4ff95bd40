import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, type FaultKind, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { DecodeError, HttpError, TransportError } from '../../src/errors.ts'
import { chainlake } from '../cli/in-process.ts'
import { runs } from '../runs.ts'
import { openDoor } from './door.ts'
import { committedSlices, exportLake, warnings } from './export-lake.ts'
import { newLake, query, rowSets, wholeLake } from './lake-run.ts'

const blocks = 1_300
const unit = 260
const index = '/ext/index/'

let node: Devnet
let quiet: Awaited<ReturnType<typeof wholeLake>>
let quietRows: Record<string, string>

beforeAll(async () => {
  node = await startDevnet({ seed: 31, blocks, slowMs: 100 })
  const lake = newLake()
  await exportLake({ node, lake, unit })
  quiet = await wholeLake(lake)
  quietRows = await rowSets(lake)
})
afterEach(() => node.setFaults(null))
afterAll(() => node.close())

describe('a source with temporary faults', () => {
  const kinds: FaultKind[] = [...transientFaults, 'wrong-checksum', 'wrong-id']

  test.each(Array.from({ length: runs(1) }, (_, i) => i + 1))(
    'gives the same rows when every fifth request fails (sequence %d)',
    async (seed) => {
      const before = node.requests().faults
      node.setFaults({ every: 5, kinds, seed })
      const lake = newLake()
      await exportLake({ node, lake, unit, concurrency: 3 })
      expect(node.requests().faults - before).toBeGreaterThanOrEqual(2)
      node.setFaults(null)
      expect(await wholeLake(lake)).toEqual(quiet)
    },
  )

  test('that reports an older head gives the remaining records to the next run', async () => {
    const lake = newLake()
    node.setFaults({ every: 1, kinds: ['moving-head'], pathPrefix: index })
    await exportLake({ node, lake, unit })
    await exportLake({ node, lake, unit })
    node.setFaults(null)
    const { events } = await exportLake({ node, lake, unit })
    expect(committedSlices(events)).toEqual([
      [blocks - 6, blocks],
      [blocks, blocks + 1],
    ])
    // If the node is behind the lake, the run writes nothing.
    node.setFaults({ every: 1, kinds: ['moving-head'], pathPrefix: index })
    expect((await exportLake({ node, lake, unit })).summary.jobs[0]).toMatchObject({ upToDate: true, head: blocks - 7 })
    expect(await rowSets(lake)).toEqual(quietRows)
  })
})

describe('a source that stays broken', () => {
  test('ends the run after its retries; earlier records are committed and visible, and the next run resumes', async () => {
    const lake = newLake()
    const door = await openDoor(node, ({ params }) => (Number(params['startIndex']) >= 700 ? { status: 500 } : null))
    const args = ['--node-url', door.url, '--lake', lake, '--tries', '2']
    const { code, stderr } = await chainlake(['run', 'p-blocks', ...args])
    await door.close()
    expect(code).toBe(3)
    expect(stderr).toMatch(/^error: .*\/ext\/index\/P\/block answers with status 500/m)
    expect(stderr).toMatch(/^ {2}tries: 2$/m)
    const [shown] = await query(lake, 'select count(*) as n from p_blocks')
    expect(Number(shown!['n'])).toBeGreaterThanOrEqual(700)
    const { events } = await exportLake({ node, lake, unit: 65_536 })
    expect(committedSlices(events)).toEqual([[Number(shown!['n']) + 1, blocks + 1]])
    expect(await rowSets(lake)).toEqual(quietRows)
  })

  test('never adds rows to the lake, whatever the kind of fault', async () => {
    const lake = newLake()
    await exportLake({ node, lake, to: 100 })
    const before = await wholeLake(lake)
    for (const [kind, expected] of [
      ['wrong-checksum', DecodeError],
      ['wrong-id', DecodeError],
      ['truncated', TransportError],
      ['reset-midway', TransportError],
      ['unavailable', HttpError],
    ] as const) {
      node.setFaults({ every: 1, kinds: [kind], pathPrefix: index })
      await expect(exportLake({ node, lake, tries: 2 }), kind).rejects.toBeInstanceOf(expected)
      expect(await wholeLake(lake)).toEqual(before)
    }
  })
})

describe('a node in an unusual state', () => {
  const run = (lake: string) =>
    chainlake(['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--tries', '1', '--json'])

  test.each([
    ['bootstrapping', 'transport.bootstrapping', /is still bootstrapping this chain \(503\)/, /Wait until/],
    ['index-off', 'transport.no-index', /has no index for this chain/, /--index-enabled/],
  ] as const)('%s causes its own error message', async (kind, errorCode, message, hint) => {
    node.setFaults({ every: 1, kinds: [kind], pathPrefix: index })
    const { code, stdout, stderr } = await run(newLake())
    expect(code).toBe(3)
    expect(JSON.parse(stdout).error.code).toBe(errorCode)
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(hint)
  })

  test('an empty index is not a failure', async () => {
    node.setFaults({ every: 1, kinds: ['empty'], pathPrefix: index })
    const lake = newLake()
    const { code, stdout, stderr } = await run(lake)
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('no containers have been accepted')
    expect(JSON.parse(stdout)).toMatchObject({ jobs: [{ head: null, records: 0, upToDate: true }] })
    node.setFaults(null)
    await exportLake({ node, lake, unit })
    expect(await wholeLake(lake)).toEqual(quiet)
  })

  test('an unhealthy node causes one warning and is exported', async () => {
    node.setFaults({ every: 1, kinds: ['unhealthy'] })
    const lake = newLake()
    const { events } = await exportLake({ node, lake, unit })
    expect(warnings(events)).toEqual([
      'The node reports that it is unhealthy. The run reads from it while it responds.',
    ])
    expect(await wholeLake(lake)).toEqual(quiet)
  })
})
