import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { pause } from '../../src/lib/wait.ts'
import { republishLake } from '../../src/run/publish/publish-views.ts'
import { lakeState } from '../catalog/lake-state.ts'
import { exportLake } from './export-lake.ts'
import { ended, newLake, rowSets, startCommand, strayFiles } from './lake-run.ts'

const blocks = 4_000

const exitCodes = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

describe('a signal', () => {
  let node: Devnet
  beforeAll(async () => {
    node = await startDevnet({ seed: 2, blocks, slowMs: 700 })
  })
  afterAll(() => node.close())

  test.each(exitCodes)(
    '%s in the middle of a unit commits the contiguous records and ends with exit code %d',
    async (signal, code) => {
      const lake = newLake()
      node.setFaults({ every: 1, kinds: ['slow'], pathPrefix: '/ext/index/' })
      const requested = () => node.requests().paths['/ext/index/P/block'] ?? 0
      const before = requested()
      const args = ['--node-url', node.url, '--lake', lake, '--concurrency', '1', '--json']
      const child = startCommand(['run', 'p-blocks', ...args])
      const end = ended(child)
      // The head, two windows that have arrived and one on its way.
      while (requested() - before < 4) await pause(20)
      const signalledMs = performance.now()
      child.kill(signal)
      const { code: exitCode, stdout, stderr } = await end
      expect(exitCode, stderr).toBe(code)
      expect(performance.now() - signalledMs).toBeLessThan(60_000)
      node.setFaults(null)

      const summary = JSON.parse(stdout)
      const { records } = summary.jobs[0]
      expect(summary).toMatchObject({ stopped: true, jobs: [{ units: 1 }] })
      expect(records).toBeGreaterThan(100)
      expect(records).toBeLessThan(blocks)
      const [blocksTable] = (await lakeState(lake)).streams.find(({ stream }) => stream === 'local/P/block')!.tables
      expect(blocksTable).toMatchObject({ slices: [{ from: 1, to: records + 1 }], rows: records })
      expect(await strayFiles(lake)).toEqual([])
      const prefix = newLake()
      await exportLake({ node, lake: prefix, unit: 65_536, to: records + 1 })
      // On a very busy machine, the run may have left the views to the next run.
      await republishLake({ folder: lake })
      expect(await rowSets(lake)).toEqual(await rowSets(prefix))
    },
  )

  test('of a terminal that closes commits too, and ends with 129', async () => {
    const lake = newLake()
    const codeFile = `${lake}.code`
    node.setFaults({ every: 1, kinds: ['slow'], pathPrefix: '/ext/index/' })
    const requested = () => node.requests().paths['/ext/index/P/block'] ?? 0
    const before = requested()
    const run = `'${process.execPath}' dist/src/cli/main.js run p-blocks --node-url '${node.url}' --lake '${lake}' --concurrency 1`
    // As an interactive shell, this one passes SIGHUP on. `wait` ends at the signal, so it is repeated.
    const line = `trap 'kill -HUP $pid' HUP; ${run} & pid=$!; wait $pid; wait $pid; echo $? > '${codeFile}.new'; mv '${codeFile}.new' '${codeFile}'`
    const scriptArgs =
      process.platform === 'linux' ? ['-qec', line, '/dev/null'] : ['-q', '/dev/null', '/bin/sh', '-c', line]
    const terminal = spawn('script', scriptArgs, { cwd: packageRoot(), stdio: 'ignore' })
    while (requested() - before < 4) await pause(20)
    terminal.kill('SIGKILL')
    while (!existsSync(codeFile)) await pause(20)
    node.setFaults(null)
    expect(readFileSync(codeFile, 'utf8')).toBe('129\n')
    const { streams } = await lakeState(lake)
    expect(streams.find(({ stream }) => stream === 'local/P/block')!.tables[0]!.rows).toBeGreaterThan(100)
  })

  test('while a node does not answer ends the command at once, without a lake', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const connected = new Promise((resolve) => silent.once('connection', resolve))
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : null
    const lake = newLake()
    const child = startCommand(['run', 'p-blocks', '--node-url', `http://127.0.0.1:${port}`, '--lake', lake])
    const end = ended(child)
    await connected
    const signalledMs = performance.now()
    child.kill('SIGINT')
    const { code, stdout } = await end
    silent.close()
    expect(code).toBe(130)
    expect(performance.now() - signalledMs).toBeLessThan(20_000)
    expect(stdout).toBe('Stopped before anything was fetched.\n')
    expect(existsSync(lake)).toBe(false)
  })

  test('during the request for the head leaves the lake unchanged', async () => {
    const lake = newLake()
    await exportLake({ node, lake, to: 100 })
    const state = await lakeState(lake)
    node.setFaults({ every: 1, kinds: ['unavailable'], pathPrefix: '/ext/index/' })
    const stop = new AbortController()
    const { summary } = await exportLake({
      node,
      lake,
      stop: stop.signal,
      onEvent: ({ kind }) => kind === 'retry' && stop.abort(new Error('SIGINT')),
    })
    node.setFaults(null)
    expect(summary).toMatchObject({ stopped: true, jobs: [] })
    expect(await lakeState(lake)).toEqual(state)
  })
})
