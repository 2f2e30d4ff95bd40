import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { readSettings } from '../../src/cli/settings.ts'
import { chainlake } from './spawn.ts'

let folder = ''
let devnet: Devnet
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-wrong-'))
  devnet = await startDevnet({ blocks: 20 })
})
afterAll(async () => {
  await devnet.close()
  rmSync(folder, { recursive: true, force: true })
})

function config(name: string, text: string): string {
  const path = join(folder, `${name}.yaml`)
  const service = `service: { data-url: '${devnet.url}' }`
  writeFileSync(path, `node-url: ${devnet.url}\n${service}\nlake: ./${name}\n${text}`)
  return path
}

const wrong = `jobs:
  shape:
    pipeline: rest-utxos
    network: local
    blockchain: p-chain
    addresses: [nobody, local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u, nobody-else]
    page-sise: 5
    include-spent: maybe
  blocks: { pipeline: p-blocks }
  rule: { pipeline: rewards, network: local }
  network: { pipeline: rest-chains, network: lokal }
  missing: { pipeline: tps, network: local }
  nothing: { pipeline: rest-chians }
  list: { pipeline: rewards, network: local, addresses: { file: ./nowhere.txt } }
  chains: { pipeline: rest-chains, network: local }
`

describe('invalid jobs', () => {
  test('are reported by run --all, and the other jobs run', async () => {
    const { code, stdout, stderr } = await chainlake(['run', '--all', '--config', config('run', wrong), '--json'])
    expect(code, stderr).toBe(2)
    const reports = JSON.parse(stdout) as {
      failed?: string[]
      error?: { code: string }
      jobs: { pipeline: string }[]
    }[]
    expect(reports.map(({ failed, error, jobs }) => [failed?.[0] ?? jobs[0]?.pipeline, error?.code])).toEqual([
      ['shape', 'config.value'],
      ['missing', 'config.value'],
      ['nothing', 'config.unknown-pipeline'],
      ['rule', 'config.parameter'],
      ['network', 'config.network'],
      ['list', 'config.unreadable'],
      ['p-blocks', undefined],
      ['rest-chains', undefined],
    ])
    expect(reports[0]).toMatchObject({ error: { details: { 'further mistakes of the job': 3 } } })
    expect(stderr).toContain('error: 6 of 8 jobs failed: shape, missing, nothing, rule, network, list\n')
  })

  test('are reported by plan, and the other jobs are planned', async () => {
    const path = config('plan', wrong)
    const { code, stdout, stderr } = await chainlake(['plan', '--all', '--config', path, '--json'])
    expect(code).toBe(2)
    const plans = JSON.parse(stdout) as { job?: string; pipeline: string | null; waits?: string | null }[]
    expect(plans.find(({ pipeline }) => pipeline === 'p-blocks')).toBeDefined()
    expect(plans.find(({ job }) => job === 'chains')).toMatchObject({ pipeline: 'rest-chains', waits: null })
    expect(plans.find(({ job }) => job === 'nothing')?.waits).toContain('there is no pipeline rest-chians')
    expect(stderr).toContain('rule cannot be planned\nerror: Rewards are listed for addresses or nodes only')
  })

  test('are all reported by validate, in the order of the file with line and column', async () => {
    const path = config('validate', wrong)
    const { code, stdout, stderr } = await chainlake(['validate', '--config', path, '--json'])
    expect(code).toBe(2)
    const { error, mistakes } = JSON.parse(stdout) as {
      error: object
      mistakes: { line: number; column: number; job: string; code: string; message: string }[]
    }
    expect(mistakes.map(({ line, column, job, code }) => [line, column, job, code])).toEqual([
      [9, 17, 'shape', 'config.value'],
      [9, 71, 'shape', 'config.value'],
      [10, 5, 'shape', 'config.unknown-key'],
      [11, 5, 'shape', 'config.value'],
      [13, 3, 'rule', 'config.parameter'],
      [14, 3, 'network', 'config.network'],
      [15, 3, 'missing', 'config.value'],
      [16, 14, 'nothing', 'config.unknown-pipeline'],
      [17, 3, 'list', 'config.unreadable'],
    ])
    expect(mistakes.at(-1)?.message).toMatch(/:17:3: jobs\.list: addresses: the file /)
    const { line: _, column: __, job: ___, ...first } = mistakes[0]!
    expect(error).toEqual(first)
    for (const { line, column, message } of mistakes) {
      expect(message.startsWith(`${path}:${line}:${column}: `)).toBe(true)
      expect(stderr).toContain(`error: ${message}\n`)
    }
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`error: ${path} has 9 mistakes.`)
  })

  test('end a run at once only if the run names them', async () => {
    const path = config('named', wrong)
    const { wrongJobs, jobs } = await readSettings({ config: path })
    expect(Object.keys(wrongJobs)).toEqual(['shape', 'missing', 'nothing'])
    expect(Object.keys(jobs)).toEqual(['blocks', 'rule', 'network', 'list', 'chains'])
    const { code, stderr } = await chainlake(['run', 'blocks', 'missing', '--config', path])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: .*named\.yaml:15:3: jobs\.missing\.chain-id: is missing/)
  })
})

describe('an invalid shared setting', () => {
  const shared = `concurency: 3\nservice: { data-url: '' }\n${wrong}`
  test('stops every command and is reported together with the mistakes of jobs', async () => {
    const path = join(folder, 'shared.yaml')
    writeFileSync(path, shared)
    await expect(readSettings({ config: path })).rejects.toThrow(`${path}:1:1: concurency is not known.`)
    const { code, stdout } = await chainlake(['validate', '--config', path, '--json'])
    expect(code).toBe(2)
    const { mistakes } = JSON.parse(stdout) as { mistakes: { line: number; job: string | null }[] }
    expect(mistakes.map(({ line, job }) => [line, job])).toEqual([
      [1, null],
      [2, null],
      [8, 'shape'],
      [8, 'shape'],
      [9, 'shape'],
      [10, 'shape'],
      [14, 'missing'],
      [15, 'nothing'],
    ])
  })
})
