import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { chainlake } from './in-process.ts'
import * as processes from './spawn.ts'
import { finished, startChainlake } from './spawn.ts'

const blocks = 600
let folder = ''
let devnet: Devnet

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-run-'))
  devnet = await startDevnet({ blocks })
})
afterAll(async () => {
  await devnet.close()
  rmSync(folder, { recursive: true, force: true })
})

function on(lake: string): string[] {
  return ['--node-url', devnet.url, '--lake', join(folder, lake)]
}

describe('a lake, from the first run to queries', () => {
  test('plan writes nothing and reports what run would do', async () => {
    const { code, stdout } = await chainlake(['plan', 'p-blocks', '--to', '101', ...on('lake'), '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject([{ pipeline: 'p-blocks', head: blocks, units: 1, records: 100 }])
    expect(existsSync(join(folder, 'lake'))).toBe(false)
  })

  test('run exports a range, then the missing rest, then nothing', async () => {
    const first = await chainlake(['run', 'p-blocks', '--from', '100', '--to', '200', ...on('lake'), '--json'])
    expect(first.code).toBe(0)
    expect(JSON.parse(first.stdout)).toMatchObject({ stopped: false, jobs: [{ records: 100, upToDate: false }] })
    // No job asked for the blocks before.
    expect(JSON.parse((await chainlake(['gaps', ...on('lake').slice(2), '--json'])).stdout)).toEqual([])
    const second = await chainlake(['run', 'p-blocks', ...on('lake')])
    expect(second.code).toBe(0)
    expect(second.stdout).toMatch(new RegExp(`^p-blocks \\(local, P/block\\): ${blocks - 100} blocks in`))
    const third = await chainlake(['run', 'p-blocks', ...on('lake')])
    expect(third.code).toBe(0)
    expect(third.stdout).toBe('p-blocks (local, P/block): up to date at block 600: nothing new.\n')
  })

  test('logs are JSON lines on stderr', async () => {
    const { stderr } = await processes.chainlake(['run', 'p-blocks', '--raw', '--to', '51', ...on('lake')])
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['planned', 'committed', 'published']))
    for (const { level, time } of lines)
      expect([level, time]).toEqual([expect.any(String), expect.stringMatching(/Z$/)])
  })

  test('status shows coverage, gaps, rows, bytes and the last run', async () => {
    const { code, stdout } = await chainlake(['status', 'local/P/block', ...on('lake').slice(2)])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^local\/P\/block +last run \S+: done, started/m)
    expect(stdout).toMatch(/^ {2}p_blocks +1 +601 +600 heights +0 +600 /m)
    expect(stdout).toMatch(/^ {2}containers +1 +51 +50 heights +1 +50 /m)
  })

  test('sql prints exact values as table, csv and json', async () => {
    const lake = on('lake').slice(2)
    const query = `select count(*) as blocks, max(height) as height from p_blocks`
    expect((await chainlake(['sql', query, ...lake])).stdout).toBe('blocks  height\n   600     600\n(1 row)\n')
    expect((await chainlake(['sql', query, '--format', 'csv', ...lake])).stdout).toBe('blocks,height\n600,600\n')
    expect(JSON.parse((await chainlake(['sql', query, '--format', 'json', ...lake])).stdout)).toEqual([
      { blocks: 600, height: 600 },
    ])
    const exact = `select 18446744073709551615::DECIMAL(20,0) as a, 'x,"y"' as b, null as c, '' as d, 9007199254740993 as e`
    expect((await chainlake(['sql', exact, '--format', 'csv', ...lake])).stdout).toBe(
      'a,b,c,d,e\n18446744073709551615,"x,""y""",,"",9007199254740993\n',
    )
    expect(JSON.parse((await chainlake(['sql', exact, '--format', 'json', ...lake])).stdout)).toEqual([
      { a: '18446744073709551615', b: 'x,"y"', c: null, d: '', e: '9007199254740993' },
    ])
  })

  test('sql reads stdin and explains a wrong query', async () => {
    const lake = on('lake').slice(2)
    const piped = await processes.chainlake(['sql', '--format', 'csv', ...lake], {
      input: 'select 1 as a; select 2 as b;',
    })
    expect(piped.stdout).toBe('b\n2\n')
    const wrong = await chainlake(['sql', 'select * from p_blcks', ...lake])
    expect(wrong.stderr).toMatch(/^error: .*p_blcks/)
    expect(wrong.code).toBe(2)
  })

  test('sql ends without an error if its reader closes the pipe', async () => {
    const child = startChainlake(['sql', 'from range(10000000)', '--format', 'csv', ...on('lake').slice(2)])
    const end = finished(child)
    child.stdout?.once('data', () => child.stdout?.destroy())
    const { code, stderr } = await end
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  test('views writes the views again', async () => {
    rmSync(join(folder, 'lake/lake.duckdb'))
    const { code, stdout } = await chainlake(['views', ...on('lake').slice(2)])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Wrote lake\.duckdb/)
    expect(readdirSync(join(folder, 'lake'))).toEqual(
      expect.arrayContaining(['lake.duckdb', 'views.sql', 'lake.ducklake']),
    )
  })
})

describe('signals', () => {
  test('SIGINT ends --follow with exit code 130 after a commit', async () => {
    const lake = 'interrupted'
    const child = startChainlake(['run', 'p-blocks', '--follow', '--max-lag', '300ms', ...on(lake), '--json'])
    child.stderr?.on('data', (text) => {
      if (String(text).includes('"published"')) child.kill('SIGINT')
    })
    const { code, stdout } = await finished(child)
    expect(code).toBe(130)
    const summary = JSON.parse(stdout)
    expect(summary.stopped).toBe(true)
    expect(summary.jobs[0].records).toBe(blocks)
    const again = await chainlake(['run', 'p-blocks', ...on(lake)])
    expect(again.stdout).toMatch(/up to date/)
  })
})

describe('devnet', () => {
  test('serves until a signal and prints its URL', async () => {
    const child = startChainlake(['devnet', '--port', '0', '--blocks', '50', '--legacy', '--json'])
    const end = finished(child)
    const url = await new Promise<string>((resolve) => {
      let text = ''
      child.stdout?.on('data', (piece) => {
        text += piece
        if (text.includes('}')) resolve(JSON.parse(text).url)
      })
    })
    const lake = join(folder, 'served')
    const { code, stdout } = await chainlake(['run', 'p-blocks', 'x-vertices', '--node-url', url, '--lake', lake])
    expect(stdout).toContain('50 blocks')
    expect(stdout).toMatch(/^x-vertices .*: 50 containers/m)
    expect(code).toBe(0)
    child.kill('SIGTERM')
    expect((await end).code).toBe(143)
  })
  test('reports a port in use', async () => {
    const { code, stderr } = await chainlake(['devnet', '--port', String(devnet.port)])
    expect(stderr).toMatch(/^error: The network cannot listen on/m)
    expect(code).toBe(2)
  })
})

describe('jobs of chainlake.yaml', () => {
  test('run with --all or by name, and flags override their parameters', async () => {
    const config = join(folder, 'jobs.yaml')
    writeFileSync(
      config,
      `node-url: ${devnet.url}\nlake: ./from-config\njobs:\n  early: { pipeline: p-blocks, to: 101 }\n  late: { pipeline: p-blocks, from: 90, to: 301 }\n`,
    )
    const all = await chainlake(['run', '--all', '--config', config, '--json'])
    expect(all.code).toBe(0)
    const records = JSON.parse(all.stdout).map((summary: { jobs: { records: number }[] }) => summary.jobs[0]?.records)
    expect(records).toEqual([100, 200])
    const both = await chainlake(['run', 'early', 'late', '--config', config, '--json'])
    expect(JSON.parse(both.stdout).jobs).toHaveLength(2)
    const one = await chainlake(['run', 'late', '--to', '311', '--config', config])
    expect(one.stdout).toContain('10 blocks')
    expect(readFileSync(join(folder, 'from-config/views.sql'), 'utf8')).toContain('p_blocks')
  })
})
