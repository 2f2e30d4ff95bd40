import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configSchema } from '../../src/config/schema.ts'
import { type Setting, settings } from '../../src/config/settings.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { defaultConcurrency } from '../../src/run/job.ts'
import { itemsPipeline } from './service-pipeline.ts'

const example = readFileSync(join(packageRoot(), 'examples/chainlake.yaml'), 'utf8').split('\n')
const { node, run, log, lake, service } = settings
const ofFile: readonly (readonly [string, Setting])[] = Object.entries({ ...node, ...run, ...log })

/** The value of a key in the example, and the comment above it. */
function explained(key: string) {
  const at = example.findIndex((line) => line.replace(/^# /, '').startsWith(`${key}:`))
  const above = example.slice(0, at)
  const begin = above.findLastIndex((line) => !line.startsWith('# ')) + 1
  const comment = above.slice(begin).map((line) => line.slice(2))
  return { value: example[at]?.replace(/^.*?: /, ''), comment: comment.join(' ') }
}

describe('examples/chainlake.yaml', () => {
  test.each(ofFile)('explains %s as help and schema do, with its default', (key, { says, otherwise = '' }) => {
    const { value, comment } = explained(key)
    expect(comment.startsWith(says), comment).toBe(true)
    const [, fixed] = /^(\S+?)(;|$)/.exec(otherwise) ?? []
    if (fixed !== undefined) expect(value).toBe(fixed)
  })
  test.each([...Object.keys(lake), ...Object.keys(service)])('has %s', (key) => {
    const isShort = key === 'folder'
    expect(example.some((line) => new RegExp(`[ {]${key}: `).test(line))).toBe(!isShort)
  })
})

test('the key of each setting is in the schema', () => {
  const { shape } = configSchema([itemsPipeline])
  for (const [key] of ofFile) expect(shape).toHaveProperty(key)
})

test('the number of requests in the help is that of the code', () => {
  expect(node.concurrency.otherwise).toBe(String(defaultConcurrency))
})
