import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import { parseProfile } from '../../src/config/read-config.ts'
import { parseConfig, readConfig } from './right-config.ts'

function read(text: string, env: Readonly<Record<string, string>> = {}) {
  return parseConfig(text, 'chainlake.yaml', pipelines, env)
}

/** Each line is a list of nine aliases of the line before: nine to the power of `lines` words. */
function bomb(lines: number): string {
  const lists = Array.from({ length: lines }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`)
  return ['a0: &a0 lol', ...lists].join('\n')
}

test.each([
  ['an alias of nothing', 'lake: *x', /^chainlake\.yaml:1:7: \*x cannot be resolved: there is no &x before it\.$/],
  ['one before its anchor', 'lake: *x\ntries: &x 3', /^chainlake\.yaml:1:7: \*x cannot be resolved/],
  ['a part of itself', 'jobs: &j\n  a: *j', /^chainlake\.yaml:2:6: \*j cannot be resolved: it would contain itself\.$/],
  ['aliases of aliases', bomb(9), /^chainlake\.yaml:10:\d+: nested aliases would expand the file too much/],
  ['lists in lists', `jobs: ${'['.repeat(3000)}${']'.repeat(3000)}`, /^chainlake\.yaml:1:\d+: .*nested too deeply\.$/],
  [
    'a name that JavaScript takes for something else',
    'jobs:\n  __proto__: { pipeline: p-blocks }',
    /^chainlake\.yaml:2:3: __proto__ cannot be a name: choose another one\.$/,
  ],
  ['a merge key', 'a: &a { tries: 3 }\n<<: *a', /^chainlake\.yaml:2:1: merge keys \(<<\) are not supported: repeat/],
  ['two documents', 'lake: a\n---\nlake: b', /^chainlake\.yaml:2:1: the file has several documents: remove this ---/],
])('%s: refused with file, line, column and exit code 2', (_, text, message) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }))
  expect(() => parseProfile(text, 'chainlake.yaml', {})).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }),
  )
})

test('a job cannot be called *, which stands for any name in places of URLs', () => {
  expect(() => read('jobs:\n  "*": { pipeline: p-blocks }')).toThrow(
    expect.objectContaining({
      code: 'config.value',
      message: expect.stringMatching(/^chainlake\.yaml:2:3: jobs\.\*: the name of a job must be letters, digits/),
    }),
  )
})

test.each(['toString', 'constructor', 'hasOwnProperty'])('a job has no parameter %s', (name) => {
  const job = `jobs:\n  x: { pipeline: p-blocks, ${name}: 5 }`
  expect(() => read(job)).toThrow(
    expect.objectContaining({
      code: 'config.unknown-key',
      message: expect.stringMatching(new RegExp(`^chainlake\\.yaml:2:\\d+: jobs\\.x\\.${name} is not known\\.$`)),
    }),
  )
})

test('an error shortens a wrong value that aliases make large', () => {
  const job = `jobs:\n  x:\n    pipeline: rest-utxos\n    network: fuji\n    blockchain: p-chain\n    addresses:\n    - [&a ${'x'.repeat(90)}, *a, *a]\n`
  expect(() => read(job)).toThrow(expect.objectContaining({ message: expect.stringMatching(/…\.$/) }))
})

test('common anchors work, also for a URL with a variable', () => {
  const jobs = Array.from({ length: 300 }, (_, i) => `  job-${i}: { pipeline: *p }`).join('\n')
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how the file writes a variable.
  const url = '${NODE}'
  const config = read(
    `lake: &p p-blocks\nservice: &s { data-url: "${url}/a" }\nnode-url: &u "${url}"\njobs:\n${jobs}`,
    {
      NODE: 'http://node:1',
    },
  )
  expect(config['node-url']).toBe('http://node:1')
  expect(config.service?.['data-url']).toBe('http://node:1/a')
  expect(Object.keys(config.jobs ?? {})).toHaveLength(300)
})

test('a file above the size limit is not read to its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-yaml-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'chainlake.yaml')
  writeFileSync(path, `# ${'x'.repeat(4 * 1024 * 1024)}`)
  for (const endless of [path, '/dev/zero'])
    await expect(readConfig(endless, pipelines)).rejects.toMatchObject({
      exitCode: 2,
      message: `The configuration file ${endless} is longer than 4 MiB.`,
      hint: expect.stringContaining('file:'),
    })
})
