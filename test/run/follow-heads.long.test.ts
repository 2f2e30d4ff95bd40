import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSocketServer } from '../../devnet/http/websocket.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { pause } from '../../src/lib/wait.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { exportLake } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { ended, logged, newLake, query, startCommand } from './lake-run.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 47, blocks: 60 })
})
afterAll(() => node.close())

/** Follows the C-Chain in this process while `meanwhile` runs. */
async function follow(
  options: { maxLagMs: number; wsUrl?: string },
  meanwhile: (following: {
    events: readonly RunEvent[]
    until: (kind: RunEvent['kind'], count: number) => Promise<void>
  }) => Promise<void>,
) {
  const stop = new AbortController()
  const lake = newLake()
  const events: RunEvent[] = []
  const running = exportLake({
    node,
    lake,
    jobs: [jobOf(evmBlocksPipeline, { 'ws-url': options.wsUrl })],
    follow: { maxLagMs: options.maxLagMs },
    stop: stop.signal,
    onEvent: (event) => void events.push(event),
  })
  const until = (kind: RunEvent['kind'], count: number): Promise<void> =>
    expect.poll(() => countOf(events, kind), { interval: 5, timeout: 100_000 }).toBeGreaterThanOrEqual(count)
  await until('published', 1)
  await until('waiting', 1)
  await meanwhile({ events, until })
  const stoppedMs = performance.now()
  stop.abort(new Error('SIGTERM'))
  await running
  return { events, lake, stopMs: performance.now() - stoppedMs }
}

function countOf(events: readonly RunEvent[], kind: RunEvent['kind']): number {
  return events.filter((event) => event.kind === kind).length
}

const texts = (events: readonly RunEvent[]) => events.flatMap((event) => ('message' in event ? [event.message] : []))

/** A WebSocket that accepts the subscription and then does what `broken` says. */
async function liar(
  broken: (announce: () => void, end: () => void) => void,
): Promise<{ url: string; opened: () => number }> {
  let opened = 0
  const ends: (() => void)[] = []
  const server = createServer()
  const sockets = createSocketServer([
    {
      path: '/ws',
      open: (send) => ({
        receive: () => {
          opened++
          send('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
          let number = 0x7fffffff
          const result = () => ({ number: `0x${(number++).toString(16)}`, hash: `0x${'ab'.repeat(32)}` })
          const announce = () =>
            send(
              JSON.stringify({
                jsonrpc: '2.0',
                method: 'eth_subscription',
                params: { subscription: '0x1', result: result() },
              }),
            )
          broken(announce, () => ends.at(-1)?.())
        },
        close: () => undefined,
      }),
    },
  ])
  server.on('upgrade', (request, socket, head) => {
    ends.push(() => socket.destroy())
    sockets.upgrade(request, socket, head)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    sockets.closeAll()
    server.close()
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, opened: () => opened }
}

describe('--follow --max-lag 0', () => {
  test('commits each block in less than a second, and publishes it before the next one', async () => {
    const lags: number[] = []
    const { events, lake, stopMs } = await follow({ maxLagMs: 0 }, async ({ events: seen, until }) => {
      await pause(1500)
      for (let block = 0; block < 4; block++) {
        const committed = countOf(seen, 'committed')
        const published = countOf(seen, 'published')
        const startedMs = performance.now()
        await node.grow(1)
        await until('committed', committed + 1)
        lags.push(performance.now() - startedMs)
        await until('published', published + 1)
        // Longer than publications are apart, and shorter than the interval of rounds without announcements.
        await pause(1500)
      }
    })
    expect(texts(events)).toEqual([
      expect.stringMatching(/^Listening to new blocks by WebSocket: ws:.*\/ext\/bc\/C\/ws\.$/),
    ])
    // The shortest: a busy machine delays commits. Without announcements, rounds are further apart.
    expect(Math.min(...lags)).toBeLessThan(1000)
    expect(countOf(events, 'committed')).toBe(5)
    expect(stopMs).toBeLessThan(60_000)
    const blocks = await node.grow(0)
    expect(await query(lake, 'select count(*)::int as n, max(block_number)::int as last from evm_blocks')).toEqual([
      { n: blocks + 1, last: blocks },
    ])
  })

  test('polls every second while a WebSocket lies, however often, and after it closed', async () => {
    let isLying = true
    const { url, opened } = await liar((announce, end) => {
      const timer = setInterval(() => (isLying ? announce() : end()), 5)
      onTestFinished(() => clearInterval(timer))
    })
    const { events } = await follow({ maxLagMs: 0, wsUrl: url }, async ({ events: seen, until }) => {
      const rounds = countOf(seen, 'waiting')
      await pause(4000)
      expect(countOf(seen, 'waiting') - rounds).toBeLessThanOrEqual(5)
      await node.grow(1)
      await until('committed', 2)
      isLying = false
      await expect.poll(() => texts(seen).length, { timeout: 100_000 }).toBeGreaterThanOrEqual(2)
      await node.grow(1)
      // The WebSocket announces nothing any more, so this commit is of a poll.
      await until('committed', 3)
    })
    expect(opened()).toBeGreaterThan(0)
    expect(texts(events).slice(0, 2)).toEqual([
      `Listening to new blocks by WebSocket: ${url}.`,
      `Cannot listen to new blocks by WebSocket (${url}): the connection closed with code 1006. The run polls the chain every second until the WebSocket works.`,
    ])
  })

  test('commits blocks although a WebSocket is silent, and ends the connection', async () => {
    const { url } = await liar(() => undefined)
    await follow({ maxLagMs: 0, wsUrl: url }, async ({ events: seen, until }) => {
      const silent = () => texts(seen).find((text) => text.includes('it is silent although the chain grows'))
      while (silent() === undefined) {
        const committed = countOf(seen, 'committed')
        await node.grow(1)
        await until('committed', committed + 1)
        await pause(200)
      }
      // Not of the last message: on a busy machine the run has connected again by now.
      expect(silent()).toContain('The run polls the chain every second')
    })
  })

  test('ends with SIGINT while it listens, and names the exit code', async () => {
    const args = ['--node-url', node.url, '--lake', newLake(), '--follow', '--max-lag', '0']
    const child = startCommand(['run', 'evm-blocks', ...args])
    const end = ended(child)
    await logged(child, 'Listening to new blocks')
    await logged(child, '"published"')
    const signalledMs = performance.now()
    child.kill('SIGINT')
    expect((await end).code).toBe(130)
    expect(performance.now() - signalledMs).toBeLessThan(60_000)
  })
})

test('with a maximum lag, commits do not follow announcements, and a given URL is named as unused', async () => {
  const { url, opened } = await liar((announce) => announce())
  const { events } = await follow({ maxLagMs: 60_000, wsUrl: url }, async () => {
    for (let blocks = 0; blocks < 5; blocks++) {
      await node.grow(1)
      await pause(300)
    }
  })
  expect(countOf(events, 'committed')).toBe(1)
  expect(opened()).toBe(0)
  expect(texts(events)).toEqual([
    'evm-blocks does not use its ws-url: the run commits new blocks every 1 min 00 s. With --max-lag 0 it commits each block when the WebSocket announces it.',
  ])
})
