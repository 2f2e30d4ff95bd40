import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
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
