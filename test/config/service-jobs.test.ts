import { describe, expect, test } from 'vitest'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { configJsonSchema } from '../../src/config/schema.ts'
import { ConfigError } from '../../src/errors.ts'
import { parseConfig } from './right-config.ts'
import { itemsPipeline } from './service-pipeline.ts'

const pipelines = [pBlocksPipeline, itemsPipeline]

function read(text: string, env: NodeJS.ProcessEnv = {}) {
  return parseConfig(text, 'chainlake.yaml', pipelines, env)
}

function job(lines: string): unknown {
  const text = `jobs:\n  a:\n    pipeline: items\n${lines.replace(/^/gm, '    ')}`
  return read(text).jobs?.['a']
}

function mistakeOf(text: string, env: NodeJS.ProcessEnv = {}): ConfigError {
  try {
    read(text, env)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('no mistake was found')
}

describe('the parameters of a job', () => {
  test('can have every kind', () => {
    expect(
      job(
        'network: fuji\nchain-id: 43114\nkind: old\nwallets: ["0x0001", "0x0002"]\npage-size: 100\nsince: 1700000000\nall: false',
      ),
    ).toEqual({
      pipeline: 'items',
      network: 'fuji',
      'chain-id': '43114',
      kind: 'old',
      wallets: ['0x0001', '0x0002'],
      'page-size': 100,
      since: 1_700_000_000,
      all: false,
    })
  })
  test.each([
    ['2023-11-14T22:13:20Z', 1_700_000_000],
    ['"2023-11-14T23:13:20+01:00"', 1_700_000_000],
    ['2023-11-14', 1_699_920_000],
    ['"1700000000"', 1_700_000_000],
    ['0', 0],
  ])('accept the time %s', (text, seconds) =>
    expect(job(`network: fuji\nsince: ${text}`)).toMatchObject({ since: seconds }),
  )
  test('accept a list from a file or a query, and inline lists drop duplicates', () => {
    expect(job('network: fuji\nwallets: { file: ./wallets.txt }')).toMatchObject({ wallets: { file: './wallets.txt' } })
    expect(job('network: fuji\nwallets:\n  query: select 1')).toMatchObject({ wallets: { query: 'select 1' } })
    expect(job('network: fuji\nwallets: ["0x0001", "0x0002", "0x0001"]')).toMatchObject({
      wallets: ['0x0001', '0x0002'],
    })
  })
  test('keep the written text of values that YAML would read as numbers', () => {
    expect(job('network: fuji\nwallets: [0x0001, 0x00ff]')).toMatchObject({ wallets: ['0x0001', '0x00ff'] })
    const digits = '123456789012345678901234567890'
    expect(job(`network: fuji\nchain-id: ${digits}`)).toMatchObject({ 'chain-id': digits })
    expect(job('network: fuji\nchain-id: 1.50')).toMatchObject({ 'chain-id': '1.50' })
  })
})

describe('a mistake in a parameter is reported with line, column and item', () => {
  const start = 'jobs:\n  a:\n    pipeline: items\n'
  test.each([
    ['', /^chainlake\.yaml:2:3: jobs\.a\.network: is missing: Network of the rows\.$/, /describe items/],
    ['    network: FUJI', /^chainlake\.yaml:4:5: jobs\.a\.network: must be a name, not "FUJI"\.$/, /describe items/],
    ['    network: fuji\n    kind: ancient', /:5:5: jobs\.a\.kind: must be one of old, new, not "ancient"/, /./],
    [
      '    network: fuji\n    page-size: 101',
      /:5:5: jobs\.a\.page-size: must be a whole number from 1 to 100, not 101/,
      /./,
    ],
    ['    network: fuji\n    page-size: 1.5', /:5:5: jobs\.a\.page-size: must be a whole number/, /./],
    ['    network: fuji\n    since: yesterday', /:5:5: jobs\.a\.since: must be Unix seconds or a time/, /./],
    ['    network: fuji\n    since: 2023-02-30', /:5:5: jobs\.a\.since: must be Unix seconds or a time/, /./],
    ['    network: fuji\n    all: yes', /:5:5: jobs\.a\.all: must be true or false, not "yes"/, /./],
    [
      '    network: fuji\n    wallets:\n      - "0x0001"\n      - "0x01"',
      /^chainlake\.yaml:7:9: jobs\.a\.wallets\.1: must be 0x and 4 digits, not "0x01"\.$/,
      /./,
    ],
    ['    network: fuji\n    wallets: []', /:5:5: jobs\.a\.wallets: must not be empty/, /./],
    ['    network: fuji\n    wallets: "0x0001"', /:5:5: jobs\.a\.wallets: must be a list such as/, /./],
    ['    network: fuji\n    wallets: { url: x }', /:5:5: jobs\.a\.wallets: must be a list such as/, /./],
    ['    network: fuji\n    wallets: { file: "" }', /:5:5: jobs\.a\.wallets: must have a text as its file/, /./],
    ['    network: fuji\n    walets: [a]', /:5:5: jobs\.a\.walets is not known/, /Did you mean wallets\?/],
    ['    network: fuji\n    from: 1', /:5:5: jobs\.a\.from is not known/, /./],
  ])('%j', (lines, message, hint) => {
    const mistake = mistakeOf(start + lines)
    expect(mistake.message).toMatch(message)
    expect(mistake.hint).toMatch(hint)
  })
})

describe('the section service', () => {
  test('accepts every key', () => {
    const text = `service:
  profile: neutral
  data-url: http://data
  metrics-url: http://metrics
  key-header: x-key
  key-env: KEY
  key-file: ./key
  units-per-minute: { data: 6000, metrics: null }
  weights: { data: { xl: 7 }, metrics: { small: 1 } }
  networks: { local: fuji }
  chains: { local: { P: a, X: b, C: c } }
  get-addresses: 10
  post-addresses: 20
  tps-path: /v2/{chainId}/tps
  signing-subnet-field: signingSubnet`
    expect(read(text.replace('field: signingSubnet', 'field: [a, b]')).service).toHaveProperty('signing-subnet-field', [
      'a',
      'b',
    ])
    expect(mistakeOf(text.replace('field: signingSubnet', 'field: []')).message).toMatch(/signing-subnet-field: /)
    expect(read(text).service).toMatchObject({ profile: 'neutral', 'units-per-minute': { data: 6000, metrics: null } })
  })
  test.each(['key', 'api-key', 'apiKey', 'token'])('refuses an API key in the file: %s', (name) => {
    const mistake = mistakeOf(`service:\n  ${name}: sesame-open`)
    expect(mistake.message).toBe(
      `chainlake.yaml:2:3: service.${name}: an API key does not belong in a configuration file.`,
    )
    expect(mistake.hint).toContain('CHAINLAKE_API_KEY')
    expect(JSON.stringify([mistake.message, mistake.hint, mistake.details])).not.toContain('sesame')
  })
  test.each([
    ['service:\n  data-ulr: x', /:2:3: service\.data-ulr is not known/, /Did you mean data-url\?/],
    ['service:\n  weights: { data: { huge: 1 } }', /service\.weights\.data\.huge is not known/, /free/],
    ['service:\n  tps-path: avg', /:2:3: service\.tps-path: must begin with \//, /./],
    ['service:\n  key-env: sesame open', /service\.key-env: must be the name of an environment variable/, /./],
    ['service:\n  get-addresses: 0', /:2:3: service\.get-addresses: /, /./],
  ])('%j', (text, message, hint) => {
    expect(mistakeOf(text).message).toMatch(message)
    expect(mistakeOf(text).hint).toMatch(hint)
  })
})

describe('variables of the environment', () => {
  const text = `node-url: \${HOST:-http://here}/node\nservice: { data-url: "\${HOST}", key-file: "\${HOST}" }`
  test('are replaced in URLs and folders of the lake only', () => {
    expect(read(text, { HOST: 'http://there' })).toMatchObject({
      'node-url': 'http://there/node',
      service: { 'data-url': 'http://there', 'key-file': `\${HOST}` },
    })
  })
  test('are refused if they are unset and have no default', () => {
    const mistake = mistakeOf(text)
    expect(mistake.message).toBe(
      'chainlake.yaml:2:12: service.data-url: the environment variable HOST is not set and has no default.',
    )
    expect(mistake.hint).toContain('Set the variable')
  })
  test.each(['{1}', '{A B}', '{A-x}', '{A'])('are refused if written as $%s', (url) => {
    expect(mistakeOf(`node-url: "$${url}"`).message).toMatch(/^chainlake\.yaml:1:1: node-url: .* is not written as/)
  })
})

test('the schema for editors contains the rules of parameters', () => {
  const schema = JSON.stringify(configJsonSchema(pipelines))
  expect(schema).toContain('"wallets":{"description":"Wallets.","anyOf":[{"type":"array","items":{"type":["string"')
  expect(schema).toContain('"page-size":{"description":"Items a page.","type":"integer","minimum":1,"maximum":100}')
  expect(schema).toContain('"required":["pipeline","network"]')
})
