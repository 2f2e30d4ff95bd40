import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { usualUnit } from '../../pipelines/shared/parameters.ts'
import { checkValue } from '../../src/config/parameter-values.ts'
import { configJsonSchema } from '../../src/config/schema.ts'
import { shippedLists } from '../../src/config/shipped-lists.ts'
import { ConfigError } from '../../src/errors.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { parseConfig, readConfig } from './right-config.ts'

function read(text: string) {
  return parseConfig(text, 'chainlake.yaml', pipelines)
}

function mistakeOf(text: string): { message: string; hint: string | undefined } {
  try {
    read(text)
  } catch (error) {
    if (error instanceof ConfigError) return { message: error.message, hint: error.hint }
    throw error
  }
  throw new Error('no mistake was found')
}

const configTemplate = readFileSync(join(packageRoot(), 'examples/chainlake.yaml'), 'utf8')

test('the file that init writes is valid, also with every key enabled', () => {
  expect(read(configTemplate)).toEqual({
    'node-url': 'http://127.0.0.1:9650',
    lake: './output',
    jobs: { 'p-chain': { pipeline: 'p-blocks' } },
  })
  const all = configTemplate.replace(/^( *)# ([a-z-]+: [^$\s]+)$/gm, '$1$2')
  expect(read(all)).toEqual({
    'node-url': 'http://127.0.0.1:9650',
    lake: './output',
    concurrency: 4,
    threads: 2,
    timeout: '30s',
    'network-id': 1,
    tries: 8,
    'max-wait': '15m',
    'max-lag': '60s',
    'log-level': 'info',
    compact: true,
    expire: '30d',
    jobs: { 'p-chain': { pipeline: 'p-blocks', from: 1, to: 100_000, unit: usualUnit, raw: true } },
  })
})

test('the bounds of a range are written as on the command line', () => {
  const job = (keys: string) => read(`jobs: { a: { pipeline: p-blocks, ${keys} } }`).jobs?.['a']
  expect(job('from: 1_000_000, to: 12M')).toMatchObject({ from: 1_000_000, to: 12_000_000 })
  expect(job('from: -1000')).toMatchObject({ from: -1_000 })
  expect(job('from: -1000, to: 5')).toMatchObject({ from: -1_000, to: 5 })
  expect(job('range: 100:200')).toMatchObject({ range: { from: 100, to: 200 } })
  expect(job('range: "1k:"')).toMatchObject({ range: { from: 1_000 } })
})

test('a bound of a range may be a date or a time, with or without quotes', () => {
  const job = (keys: string) => read(`jobs: { a: { pipeline: p-blocks, ${keys} } }`).jobs?.['a']
  expect(job('from: 2026-01-01, to: "2026-02-01"')).toMatchObject({ from: '2026-01-01', to: '2026-02-01' })
  expect(job('from: 2026-01-01T12:00:00+02:00, to: 5')).toMatchObject({ from: '2026-01-01T12:00:00+02:00', to: 5 })
  expect(job('range: 2026-01-01:2026-02-01')).toMatchObject({ range: { from: '2026-01-01', to: '2026-02-01' } })
  const [from] = [new Date('2026-01-01T12:00:00Z')]
  expect(checkValue(pBlocksPipeline.parameters['from'], from)).toEqual({ value: '2026-01-01T12:00:00.000Z' })
})

test('an empty file is a valid configuration without settings', () => {
  expect(read('')).toEqual({})
  expect(read('# nothing\n')).toEqual({})
})

describe('a mistake in the file is reported with line and column', () => {
  test.each([
    ['lake: [', /^chainlake\.yaml:1:\d+: /, /Fix the YAML/],
    ['lake: a\nlake: b', /^chainlake\.yaml:2:1: /, /Fix the YAML/],
    ['lake: x\nnode_url: http://x', /^chainlake\.yaml:2:1: node_url is not known/, /Did you mean node-url\?/],
    ['jobs:\n  a:\n    pipeline: p-blcks', /^chainlake\.yaml:3:5: there is no pipeline p-blcks/, /p-blocks/],
    ['jobs:\n  a:\n    pipeline: p-blocks\n    form: 1', /^chainlake\.yaml:4:5: jobs\.a\.form is not known/, /from/],
    [
      'jobs:\n  a:\n    pipeline: p-blocks\n    from: 9\n    to: 3',
      /^chainlake\.yaml:5:5: jobs\.a\.to: must be greater/,
      /./,
    ],
    ['jobs:\n  a:\n    pipeline: p-blocks\n    from: 1.5', /^chainlake\.yaml:4:5: jobs\.a\.from: must be a whole/, /./],
    ['jobs:\n  a:\n    pipeline: p-blocks\n    range: 5', /^chainlake\.yaml:4:5: jobs\.a\.range: must be a range/, /./],
    [
      'jobs:\n  a:\n    pipeline: evm-events\n    events: [event T(address a, uint256 b)]',
      /must be an event .* not "event T\(address a" \(in a YAML list, put quotes around a text with commas\)\.$/,
      /./,
    ],
    [
      'jobs:\n  a:\n    pipeline: p-blocks\n    from: 2026-02-01\n    to: 2026-01-01',
      /^chainlake\.yaml:5:5: jobs\.a\.to: must be greater than from/,
      /./,
    ],
    [
      'jobs:\n  a:\n    pipeline: p-blocks\n    from: 2026-02-30',
      /from: must be a whole.* or a time such as 2026-01-31/,
      /./,
    ],
    [
      'jobs:\n  a:\n    pipeline: x-transactions\n    from: 2020-01-01',
      /from: cannot be a time: what X\/tx holds has no time of the chain, only the time at which the node of the index/,
      /./,
    ],
    [
      'jobs:\n  a:\n    pipeline: x-vertices\n    range: "2020-01-01:"',
      /range: cannot have times: what X\/vtx holds/,
      /./,
    ],
    [
      'jobs:\n  a:\n    pipeline: p-blocks\n    heights: "1:"',
      /jobs\.a\.heights is not known\. The bounds of a range are heights/,
      /^Give them with from and to/,
    ],
    [
      'jobs:\n  a:\n    pipeline: token-transfers\n    network: fuji\n    chain-id: 43113\n    contracts: ["0x0000000000000000000000000000000000000001"]\n    from: 2020-01-01',
      /jobs\.a\.from is not known\. The routes of transfers take blocks, and the service has no route/,
      /^Give block numbers with start-block/,
    ],
    ['jobs:\n  a:\n    from: 1', /^chainlake\.yaml:2:3: jobs\.a\.pipeline: /, /./],
    ['concurrency: many', /^chainlake\.yaml:1:1: concurrency: /, /./],
    ['- a', /^chainlake\.yaml:1:1: the file: /, /./],
    ['log-level: loud', /^chainlake\.yaml:1:1: log-level: /, /./],
  ])('%j', (text, message, hint) => {
    const mistake = mistakeOf(text)
    expect(mistake.message).toMatch(message)
    expect(mistake.hint).toMatch(hint)
    expect(mistake.message).not.toContain('\n')
  })
})

test('a missing configuration file is refused', async () => {
  await expect(readConfig('/nowhere/chainlake.yaml', pipelines)).rejects.toThrow(/cannot be read/)
})

test('chainlake.schema.json equals the schema (`npm run docs` writes it)', () => {
  const shipped = readFileSync(join(packageRoot(), 'chainlake.schema.json'), 'utf8')
  expect(JSON.parse(shipped)).toEqual(configJsonSchema([...pipelines, ...shippedLists()]))
})
