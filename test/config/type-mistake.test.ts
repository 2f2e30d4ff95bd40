import { expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import { examineText } from './right-config.ts'

const messagesOf = (text: string) =>
  examineText(text, 'c.yaml', pipelines, {}).mistakes.map(({ error }) => error.message)

test.each([
  ['lake: 3', '1:1: lake: must be a text or a mapping of keys, not 3.'],
  ['lake: [1]', '1:1: lake: must be a text or a mapping of keys, not a list.'],
  ['lake:', '1:1: lake: must be a text or a mapping of keys, not null.'],
  ['lake: { path-style: 3 }', '1:9: lake.path-style: must be true or false, not 3.'],
  ['lake: { path: x }', '1:9: lake.path is not known.'],
  ['timeout: true', '1:1: timeout: must be a number or a text, not true.'],
  ['timeout: soon', '1:1: timeout: must be a duration such as 500ms, 30s or 2m, not "soon".'],
  ['expire: soon', '1:1: expire: must be an age such as 30d, 12h or 90m, not "soon".'],
  ['concurrency: 0', '1:1: concurrency: must be at least 1, not 0.'],
  ['lake: ""', '1:1: lake: must not be empty.'],
  [
    'service: { key-env: a b }',
    '1:12: service.key-env: must be the name of an environment variable, not the key itself.',
  ],
  ['concurrency: many', '1:1: concurrency: must be a number, not "many".'],
  ['concurrency: 1.5', '1:1: concurrency: must be a whole number, not 1.5.'],
  [`concurrency: ${'9'.repeat(80)}`, `1:1: concurrency: must be a number, not "${'9'.repeat(59)}….`],
  ['log-level: loud', '1:1: log-level: must be debug, info, warn, error or silent, not "loud".'],
  ['pipelines: x', '1:1: pipelines: must be a list, not "x".'],
  ['jobs: { a: 5 }', '1:9: jobs.a: must be a mapping of keys, not 5.'],
  ['jobs: { a: {} }', '1:9: jobs.a.pipeline: is missing.'],
  ['services: { a: { auth: 5 } }', '1:13: services.a.url: is missing; it must be a text.'],
  ['[1]', '1:1: the file: must be a mapping of keys, not a list.'],
])('the mistake in %s says what is expected and what is there', (text, message) =>
  expect(messagesOf(text)[0]).toBe(`c.yaml:${message}`),
)

test('a key that is missing may be there with a mistake', () => {
  const [mistake] = examineText('jobs: { a: { pipline: p-blocks } }', 'c.yaml', pipelines, {}).mistakes
  expect(mistake?.error).toMatchObject({ hint: 'In the place of pipline, write pipeline.' })
})

test('a value behind an alias is not shown', () =>
  expect(messagesOf('lake: &x { data: y }\nconcurrency: *x')).toEqual([
    'c.yaml:2:1: concurrency: must be a number, not an alias.',
  ]))
