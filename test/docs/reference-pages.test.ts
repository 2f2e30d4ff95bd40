import { describe, expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { shippedLists } from '../../src/config/shipped-lists.ts'
import { documents } from '../../tools/docs/documents.ts'
import { keyRows } from '../../tools/docs/reference.ts'
import { typeText } from '../../tools/docs/source-pages.ts'

const texts = new Map(documents().map(({ path, text }) => [path, text]))
const pageOf = (name: string) => texts.get(`docs/reference/${name}.md`) ?? ''

test('the page of commands has each command with its own flags', () => {
  const text = pageOf('cli')
  for (const { name } of commands) expect(text).toContain(`\n### ${name}\n`)
  expect(text).toContain('| `-o, --output OUTPUT` | Write the answer to this file |')
  expect(text.match(/`--s3-endpoint URL`/g)).toHaveLength(1)
})

test('the page of pipelines has each pipeline with parameters, tables and an example', () => {
  const text = pageOf('pipelines')
  for (const { name } of [...pipelines, ...shippedLists()]) expect(text).toContain(`\n### ${name}\n`)
  expect(text).toContain('[`p_credentials`](tables/p-chain.md#p_credentials) (with `--credentials`)')
  expect(text).toContain('| `chainlake plan p-blocks --node-url http://127.0.0.1:9650` | what a run would fetch |')
})

test('the page of the configuration has flags and variables of keys', () => {
  const text = pageOf('configuration')
  expect(text).toContain('| `max-lag` | duration such as 500ms, 30s or 2m | `--max-lag` | `CHAINLAKE_MAX_LAG` | With')
  expect(text).toContain('| `lists.NAME.walk.kind` | `pageChain` |')
})

test('the page of metrics has names as readers query them', () => {
  expect(pageOf('metrics')).toContain('| `chainlake_rows_total` | counter | Committed rows, by table. |')
})

test('the page of JSON names shapes, not the functions that make them', () => {
  expect(pageOf('json')).not.toMatch(/\b(?:ReturnType|Awaited|typeof)\b/)
})

test('every command with --json has a shape, and no other one', () => {
  const withJson = commands.filter(({ options }) => Object.hasOwn(options, 'json')).map(({ name }) => name)
  const sections = [...pageOf('json').matchAll(/^## (.+)$/gm)].map(([, title]) => title)
  expect(sections.toSorted()).toEqual([...withJson, 'Events', 'Log lines'].toSorted())
})

describe('rows of a schema', () => {
  test('have keys below keys, named ones, and alternatives by kind', () => {
    const schema = {
      properties: {
        walk: {
          description: 'How.',
          oneOf: [
            {
              type: 'object',
              properties: {
                kind: { const: 'scan', description: 'All.' },
                first: { type: 'integer', minimum: 1, description: 'First.' },
              },
              required: ['kind', 'first'],
            },
            { type: 'string' },
          ],
        },
        columns: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { type: { enum: ['a', 'b'] } } },
        },
      },
    }
    expect(keyRows(schema, '')).toEqual([
      ['walk', 'keys or text', 'How.'],
      ['walk.kind', '`scan`', 'All.'],
      ['walk.first', 'whole number from 1', 'With kind `scan`: first. Required.'],
      ['columns', 'keys', ''],
      ['columns.NAME.type', '`a`, `b`', ''],
    ])
  })
})

test('the text of a type has its comments, and nothing that says nothing about values', () => {
  expect(typeText('ItemSpan')).toBe('type ItemSpan = { from: number; at: number; to: number }')
  expect(typeText('TableResult')).toBe(
    'type TableResult = {\n  name: string\n  rows: number\n  bytes: number\n  files: number\n}',
  )
  expect(typeText('run/events.ts#Message')).toContain('type Message<Kind extends string> = {')
  expect(() => typeText('NoSuchType')).toThrow('0 files of src/ declare the type NoSuchType')
})
