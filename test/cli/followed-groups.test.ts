import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { runGroups } from '../../src/cli/commands/run-groups.ts'
import type { JobRequest } from '../../src/cli/jobs/jobs.ts'
import type { Logger } from '../../src/cli/terminal/run-events.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { warnings } from '../run/export-lake.ts'
import { newLake, query } from '../run/lake-run.ts'

test('the last round before --follow survives an outage, and the jobs that depend on its lists stay', async () => {
  const node = await startDevnet({ seed: 41, blocks: 60 })
  // A port that was closed could be taken by another test.
  let isUp = false
  const gate = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    if (!isUp) return void socket.destroy()
    const upstream = connect(node.port, '127.0.0.1')
    upstream.on('error', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
  const nodeUrl = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`
  const lakeDir = newLake()
  const stop = new AbortController()
  const events: RunEvent[] = []
  const emit = (event: RunEvent): void => {
    events.push(event)
    if (event.kind === 'warning')
      setTimeout(() => {
        isUp = true
      }, 300)
    if (event.kind === 'waiting') stop.abort(new Error('stopped'))
  }
  const job: JobRequest = { kind: 'requested', name: 'blocks', pipeline: pBlocksPipeline, given: {} }
  const groups = [
    { jobs: [job], follow: false },
    { jobs: [job], follow: true },
  ]
  const run = { nodeUrl, lake: { folder: lakeDir }, tries: 1, follow: { maxLagMs: 100 }, stop: stop.signal, emit }
  const logger = { error: (text: string) => expect.fail(text), warn: () => undefined } as unknown as Logger
  const said: string[] = []
  const write = process.stdout.write
  process.stdout.write = ((text: string, done?: () => void) => {
    said.push(text)
    done?.()
    return true
  }) as typeof write
  try {
    expect(
      await runGroups(groups, {
        run,
        json: false,
        logger,
        progress: undefined,
        wait: false,
        deadline: null,
        source: { lasting: () => null },
        workers: null,
      }),
    ).toBe(0)
  } finally {
    process.stdout.write = write
    gate.close()
    await node.close()
  }
  expect(warnings(events)).toEqual([
    expect.stringMatching(/^blocks: No answer from .* chainlake retries until it succeeds\.$/),
  ])
  expect(said.join('')).toContain('60 blocks')
  expect(await query(lakeDir, 'select count(*)::int as n from p_blocks')).toEqual([{ n: 60 }])
})

test('a job that waited for its stream has begun: nothing is left for it at the deadline', async () => {
  const node = await startDevnet({ seed: 41, blocks: 20 })
  const lake = { folder: newLake() }
  const jobs: JobRequest[] = [
    { kind: 'requested', name: 'p', pipeline: pBlocksPipeline, given: {} },
    { kind: 'requested', name: 'x', pipeline: xBlocksPipeline, given: {} },
  ]
  const deadline = new AbortController()
  let release: (() => Promise<void>) | null = null
  const emit = (event: RunEvent): void => {
    if (event.kind !== 'waiting') return
    if (event.pipeline === 'x') void release?.()
    else deadline.abort(new Error('deadline'))
  }
  const logger = { error: (text: string) => expect.fail(text), warn: () => undefined } as unknown as Logger
  const write = process.stdout.write
  process.stdout.write = ((_: string, done?: () => void) => {
    done?.()
    return true
  }) as typeof write
  const run = { nodeUrl: node.url, lake, tries: 1, stop: deadline.signal, emit }
  const options = { json: false, logger, progress: undefined, source: { lasting: () => null }, workers: null }
  try {
    const first = [{ jobs: jobs.slice(1), follow: false }]
    expect(await runGroups(first, { ...options, run, wait: false, deadline: null })).toBe(0)
    const catalog = await openCatalog(lake, tables)
    const held = { network: 'local', path: 'P/block', parameters: {} }
    const other = await catalog.startRun({ streams: [held], command: 'test' })
    release = () => other.end('done')
    // With a long lag, no round is open at the deadline.
    const followed = {
      ...options,
      run: { ...run, follow: { maxLagMs: 60_000 } },
      wait: true,
      deadline: deadline.signal,
    }
    expect(await runGroups([{ jobs, follow: true }], followed)).toBe(0)
  } finally {
    process.stdout.write = write
    await node.close()
  }
  expect(await query(lake.folder, 'select count(*)::int as n from p_blocks')).toEqual([{ n: 20 }])
})
