import { expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import { compileLists } from '../../src/yaml-lists/check-list.ts'
import { examineText } from './right-config.ts'

const text = `services:
  own: { url: "https://\${HOST}/v1", headers: { authorization: abc } }
lists:
  p-blocks:
    comment: A.
    path: /a
    walk: { kind: snapshot }
    table: { name: my_a, comment: A., key: [id], columns: { id: { path: id, type: text, comment: Id. } } }
  other:
    comment: A.
    service: owm
    path: /a
    wolk: 1
    walk: { kind: snapshot }
    table:
      name: rest_mine
      comment: A.
      key: [nothing]
      columns: { id: { path: id, typ: text, comment: Id. } }
`

function mistakes(of: string, env: NodeJS.ProcessEnv = { HOST: 'h' }) {
  return examineText(of, 'chainlake.yaml', pipelines, env).mistakes.map(({ error }) => error)
}

test('each mistake in services and lists is named with its line and a hint', () => {
  const found = mistakes(text).map(({ message }) => message)
  expect(found).toEqual([
    expect.stringMatching(/^chainlake.yaml:2:\d+: services.own.headers.authorization: a key does not belong/),
    expect.stringMatching(/^chainlake.yaml:13:5: lists.other.wolk is not known/),
    expect.stringMatching(/^chainlake.yaml:19:\d+: lists.other.table.columns.id.type: /),
    expect.stringMatching(/^chainlake.yaml:19:\d+: lists.other.table.columns.id.typ is not known/),
  ])
  expect(mistakes(text).map(({ hint }) => hint)).toEqual([
    expect.stringContaining('docs/how-to/lists-in-yaml.md'),
    'Did you mean walk?',
    expect.stringContaining('docs/how-to/lists-in-yaml.md'),
    'Did you mean type?',
  ])
})

test('rules that concern several settings follow when each setting is right', () => {
  const right = text
    .replace('authorization: abc', `authorization: 'Bearer \${KEY}'`)
    .replace('    wolk: 1\n', '')
    .replace('typ: text', 'type: text')
  expect(mistakes(right).map(({ message }) => message)).toEqual([
    'chainlake.yaml:4:3: lists.p-blocks: p-blocks is a pipeline of chainlake: take another name.',
    'chainlake.yaml:11:5: lists.other.service: there is no service owm: declare it in services.',
    'chainlake.yaml:15:7: lists.other.table.name: the prefix rest_ is reserved for tables of chainlake: take another name.',
    'chainlake.yaml:17:13: lists.other.table.key.0: names nothing, which is no column of the table.',
  ])
  expect(mistakes(right.replace('rest_mine', 'chainlake_lake')).map(({ message }) => message)).toContain(
    'chainlake.yaml:15:7: lists.other.table.name: the prefix chainlake_ is reserved for tables of chainlake: take another name.',
  )
  const named = right.replace('nothing', 'id').replace('p-blocks', 'mine').replace('rest_mine', 'mine')
  expect(mistakes(named.replace('owm', 'own'))).toEqual([])
})

test('a variable in the URL of a service must be set, one in its headers only when a job reads it', () => {
  const url = `services: { own: { url: "https://\${HOST}" } }`
  expect(() => mistakes(url, {})).toThrow('HOST is not set')
  expect(mistakes(`services: { own: { url: "https://h", headers: { x-key: "\${KEY}" } } }`, {})).toEqual([])
})

test('a job of a list with a mistake adds no mistake of its own', () => {
  const jobs = 'jobs: { one: { pipeline: other, network: local }, two: { pipeline: othr } }'
  const found = mistakes(
    `lists:\n  other: { comment: A., path: a, walk: { kind: snapshot, store: changes }, table: 1 }\n${jobs}`,
  )
  expect(found.map(({ message }) => message)).toEqual([
    expect.stringContaining('lists.other.path: '),
    expect.stringContaining('lists.other.table: '),
    expect.stringContaining('there is no pipeline othr'),
  ])
})

test('a list with the name of a pipeline is a mistake of its own, also when a job uses the name', () => {
  const list = compileLists({
    'p-blocks': {
      comment: 'A.',
      service: 'own',
      network: 'local',
      path: '/a',
      walk: { kind: 'snapshot' },
      table: {
        name: 'my_a',
        comment: 'A.',
        key: ['id'],
        columns: { id: { path: 'id', type: 'text', comment: 'Id.' } },
      },
    },
  })
  const read = examineText(
    'jobs: { one: { pipeline: p-blocks, from: 5 } }',
    'chainlake.yaml',
    [...pipelines, ...list],
    {},
  )
  expect(read).toMatchObject({ mistakes: [], config: { jobs: { one: { from: 5 } } } })
})
