import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { republishLake } from '../../src/run/publish/publish-views.ts'
import { committedSlices, exportLake } from './export-lake.ts'
import { ended, logged, newLake, query, rowSets, startCommand, strayFiles } from './lake-run.ts'

const blocks = 200
let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 41, blocks })
})
afterEach(() => node.setFaults(null))
afterAll(() => node.close())

/** Follows in this process until `until` returns true for the events. The signal then stops the run. */
async function follow(lake: string, maxLagMs: number, until: (events: RunEvent[]) => boolean) {
  const stop = new AbortController()
  const events: RunEvent[] = []
  return exportLake({
    node,
    lake,
    follow: { maxLagMs },
    stop: stop.signal,
    onEvent: (event) => {
      events.push(event)
      if (!stop.signal.aborted && until(events)) stop.abort(new Error('SIGTERM'))
    },
  })
}

const rounds = (events: readonly RunEvent[]) => events.filter(({ kind }) => kind === 'waiting').length

describe('--follow', () => {
  test('continues without gaps as the chain grows, and stores the same rows as a single run', async () => {
    const lake = newLake()
    let accepted = await node.grow(0)
    const { summary, events } = await follow(lake, 200, (told) => {
      if (told.at(-1)?.kind !== 'waiting') return false
      if (rounds(told) <= 3) void node.grow(30).then((now) => (accepted = now))
      return rounds(told) > 6
    })
    expect(summary).toMatchObject({ stopped: true, jobs: [{ head: accepted, records: accepted }] })
    const slices = committedSlices(events)
    expect(slices.length).toBeGreaterThan(2)
    for (const [position, [from]] of slices.entries()) expect(from).toBe(slices[position - 1]?.[1] ?? 1)
    // The first round and the end publish. They are less than a minute apart.
    expect(events.filter(({ kind }) => kind === 'published')).toHaveLength(2)

    const quiet = newLake()
    await exportLake({ node, lake: quiet })
    expect(await rowSets(lake)).toEqual(await rowSets(quiet))
    expect(await strayFiles(lake)).toEqual([])
  })

  test('commits the records of a slow source within --max-lag', async () => {
    const lake = newLake()
    const slow = await startDevnet({ seed: 41, blocks: 5_000, slowMs: 400 })
    slow.setFaults({ every: 1, kinds: ['slow'], pathPrefix: '/ext/index/' })
    // One window takes 0.4 s, so a unit with all containers would take 2 s.
    const stop = new AbortController()
    const { events } = await exportLake({
      node: slow,
      lake,
      unit: 65_536,
      concurrency: 1,
      follow: { maxLagMs: 500 },
      stop: stop.signal,
      onEvent: ({ kind }) => {
        if (kind === 'waiting') stop.abort(new Error('SIGTERM'))
      },
    })
    await slow.close()
    const slices = committedSlices(events)
    expect(slices.length).toBeGreaterThanOrEqual(2)
    expect(slices.at(-1)?.[1]).toBe(5_001)
    expect(await query(lake, 'select count(*) as n from p_blocks')).toEqual([{ n: '5000' }])
  })

  test('ends with exit code 143 on SIGTERM', async () => {
    const lake = newLake()
    const args = ['--node-url', node.url, '--lake', lake, '--follow', '--max-lag', '300ms']
    const child = startCommand(['run', 'p-blocks', ...args])
    const end = ended(child)
    await logged(child, '"published"')
    const accepted = await node.grow(20)
    await logged(child, '"committed"')
    const signalledMs = performance.now()
    child.kill('SIGTERM')
    const { code, stdout } = await end
    expect(code).toBe(143)
    expect(performance.now() - signalledMs).toBeLessThan(10_000)
    expect(stdout).toContain('Stopped by a signal')
    // On a very busy machine, the run may have left the views to the next run.
    await republishLake({ folder: lake })
    expect(await query(lake, 'select count(*) as n, max(container_index) as last from p_blocks')).toEqual([
      { n: String(accepted), last: String(accepted - 1) },
    ])
  })

  test('ends by itself when the chain has reached --to', async () => {
    const lake = newLake()
    const accepted = await node.grow(0)
    const { summary } = await exportLake({
      node,
      lake,
      to: accepted + 21,
      follow: { maxLagMs: 100 },
      onEvent: ({ kind }) => {
        if (kind === 'waiting') void node.grow(15)
      },
    })
    expect(summary).toMatchObject({ stopped: false, jobs: [{ records: accepted + 20, interrupted: false }] })
    expect(await query(lake, 'select max(container_index) as last from p_blocks')).toEqual([
      { last: String(accepted + 19) },
    ])
  })

  test('waits while the index is empty, and then exports it', async () => {
    const lake = newLake()
    node.setFaults({ every: 1, kinds: ['empty'], pathPrefix: '/ext/index/' })
    const { summary } = await follow(lake, 200, (told) => {
      if (rounds(told) === 1) node.setFaults(null)
      return told.some(({ kind }) => kind === 'committed')
    })
    expect(summary.jobs[0]!.records).toBeGreaterThan(0)
  })

  test('resumes at its last commit after a kill', async () => {
    const lake = newLake()
    const args = ['--node-url', node.url, '--lake', lake, '--unit', '50', '--follow', '--max-lag', '1s']
    const child = startCommand(['run', 'p-blocks', ...args])
    const end = ended(child)
    await logged(child, '"committed"', 2)
    child.kill('SIGKILL')
    expect((await end).signal).toBe('SIGKILL')
    await follow(lake, 200, (told) => told.at(-1)?.kind === 'waiting')
    const quiet = newLake()
    await exportLake({ node, lake: quiet, unit: 50 })
    expect(await rowSets(lake)).toEqual(await rowSets(quiet))
    expect(await strayFiles(lake)).toEqual([])
  })
})
