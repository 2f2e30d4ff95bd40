import { describe, expect, test } from 'vitest'
import { pipelines as allPipelines } from '../../../pipelines/index.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { jobsOf } from '../../../src/cli/jobs/jobs.ts'
import type { Settings } from '../../../src/cli/settings.ts'
import { itemsPipeline } from '../../config/service-pipeline.ts'

const pipelines = [pBlocksPipeline, itemsPipeline]

function jobs(names: string[], flags: object = {}, configured: Settings['jobs'] = {}) {
  return jobsOf(names, { ...flags }, { jobs: configured, configPath: '/config/chainlake.yaml', pipelines })
}

const configured = {
  mine: { pipeline: 'items', network: 'fuji', wallets: { file: './w.txt' }, 'page-size': 5 },
  chain: { pipeline: 'p-blocks', from: 3, to: 9, raw: true },
}

describe('the jobs of a service', () => {
  test('resolve paths relative to the configuration file', () => {
    expect(jobs(['mine'], {}, configured)).toEqual([
      {
        kind: 'requested',
        name: 'mine',
        pipeline: itemsPipeline,
        given: { network: 'fuji', wallets: { file: '/config/w.txt' }, 'page-size': 5 },
      },
    ])
  })
  test('use the values of flags instead of configured values', () => {
    const [job] = jobs(['mine'], { wallets: '0x0001', 'page-size': '7', all: undefined }, configured)
    expect(job).toMatchObject({ given: { network: 'fuji', wallets: ['0x0001'], 'page-size': 7 } })
  })
  test('include each pipeline under its own name', () => {
    const [job] = jobs(['items'], { network: 'fuji', since: '2023-11-14' })
    expect(job).toMatchObject({ name: 'items', given: { network: 'fuji', since: 1_699_920_000 } })
  })
  test('fail with an error that names a missing required parameter', () => {
    expect(() => jobs(['items'])).toThrow('items needs --network.')
  })
})

describe('container jobs and service jobs together', () => {
  test('get only the flags that they have', () => {
    const [mine, chain] = jobs(['mine', 'chain'], { 'page-size': '9', from: '4' }, configured)
    expect(mine).toMatchObject({ given: { 'page-size': 9 } })
    expect(chain).toMatchObject({ kind: 'requested', name: 'chain', given: { from: 4, to: 9, raw: true } })
  })
  test.each([
    [['chain'], { wallets: '0x0001' }, 'None of the jobs has the parameter --wallets.'],
    [['mine'], { from: '1' }, 'None of the jobs has the parameter --from.'],
    [['mine'], { raw: true }, 'None of the jobs has the parameter --raw.'],
  ])('%j with %j: a flag that no job has is refused', (names, flags, message) => {
    expect(() => jobs(names, flags, configured)).toThrow(message)
  })
  test.each([
    ['p-blocks', 'heights', '1:2', 'The bounds of a range are heights.'],
    ['c-blocks', 'chain', 'C', 'A network has only one C-Chain.'],
    ['p-blocks', 'chain', '2JeJDKL9Bvn1vLuuPL1DpUccBCVUh7iRnkv3a5pV9kJW5HbuQz', 'A network has only one P-Chain.'],
    ['token-transfers', 'from', '2026-01-01', 'The routes of transfers take blocks, and the service has no route that'],
    [
      'wallet-transfers',
      'range',
      '2026-01-01:',
      'The routes of transfers take blocks, and the service has no route that',
    ],
  ])('%s says why it has no %s', (pipeline, flag, value, why) => {
    const given = { jobs: { mine: { pipeline } }, configPath: null, pipelines: allPipelines }
    const refused = () => jobsOf(['mine'], { [flag]: value }, given)
    expect(refused).toThrow(`None of the jobs has the parameter --${flag}. ${why}`)
    expect(refused).toThrow(expect.objectContaining({ hint: expect.stringMatching(/^Give /) }))
  })
  test('an unknown flag is refused with its pipelines and similar names', () => {
    expect(() => jobs(['mine'], { unit: '1' }, configured)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('It is a parameter of p-blocks.') }),
    )
  })
  test('are all selected by --all', () => {
    expect(jobs([], { all: true }, configured).map(({ name }) => name)).toEqual(['mine', 'chain'])
  })
})
