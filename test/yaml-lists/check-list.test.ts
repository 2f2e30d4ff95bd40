import { expect, test } from 'vitest'
import { mistakesIn, simpleList } from './parsed-list.ts'

const changed = (from: string | RegExp, to: string) => mistakesIn(simpleList.replace(from, to))

test('a right list has no mistake', () => {
  expect(mistakesIn(simpleList)).toEqual([])
})

test.each([
  ['path: /items', 'path: /items/{id}', 'path: names {id}, which is no parameter of the list'],
  [
    'path: /items',
    'path: /i/{id}\nparameters: { id: { comment: I. } }',
    'path: needs a value for {id}: make the parameter required, or give it a default',
  ],
  [
    'path: /items',
    'path: /i/{id}\nparameters: { id: { type: list, comment: I. } }',
    'path: names the list {id}: set each: id for one request per item',
  ],
  ['path: /items', 'path: /items\nbody: { a: 1 }', 'body: needs method: POST'],
  ['path: /items', 'path: /items\neach: id', 'each: must name a parameter of the type list, and id is none'],
  [
    'path: /items',
    'path: /items\nparameters: { unit-pages: { comment: U. } }',
    'parameters.unit-pages: is the name of a parameter that lists have by themselves, or of a bound: take another one',
  ],
  [
    /.*/s,
    simpleList
      .replace('path: /items', 'path: /i/{owner}\nparameters: { owner: { type: list, comment: O. } }\neach: owner')
      .replace('seen: {', 'owner: { parameter: owner, type: text, comment: O. }\n    seen: {'),
    'table.key: must have owner: each item of owner has rows of its own',
  ],
  ['items: items', 'items: items\nignore: ["items[].tags[].name", "items[].a[].b[].c"]', 'ignore.1: must be fields'],
  ['items: items', 'items: items\nignore: [a..b]', 'ignore.0: must be fields'],
  ['path: /items', 'path: /items?kind=1', 'path: must be a path without //, white space, ? and #: see query'],
  ['path: /items', 'path: //other.host/items', 'path: must be a path without //, white space, ? and #: see query'],
  [
    'path: /items',
    `path: /items\nquery: { key: "\${MY_KEY}" }`,
    'query: has a variable, and variables are replaced in services only: write it in url or headers there',
  ],
  ...[
    ['type: whole, default: x', 'must be a whole number from 0 to 9007199254740991'],
    ['type: whole, most: 5, default: 6', 'must be a whole number from 0 to 5'],
    ['type: time, default: 2020-01-01', 'must be a time in Unix seconds from 0 to 9007199254740991'],
    ['type: boolean, default: "yes"', 'must be true or false'],
    ['choices: [a, b], default: c', 'must be one of a, b'],
    ['pattern: ^a$, default: ab', 'must match ^a$'],
  ].map(([text, mistake]): [string, string, string] => [
    'path: /items',
    `path: /items\nquery: { k: "{kind}" }\nparameters: { kind: { comment: K., ${text} } }`,
    `parameters.kind.default: ${mistake}`,
  ]),
  ['key: [item_id]', 'key: [item_id, item_id]', 'table.key.1: repeats item_id'],
  [
    'key: [item_id]',
    'key: [item_id]\n  partitions: [day of seen, day of seen]',
    'table.partitions.1: repeats day of seen',
  ],
  ['key: [item_id]', 'key: [id]', 'table.key.0: names id, which is no column of the table'],
  [
    'type: text, comment: Id.',
    'type: text, nullable: true, comment: Id.',
    'table.key.0: item_id is in the key, so it cannot be nullable',
  ],
  [
    'item_id: { path: id,',
    'item_id: { path: "id[",',
    'table.columns.item_id.path: must be fields with dots between them, such as owner.address, and [] after at most one list',
  ],
  [
    'item_id: { path: id,',
    'item_id: { path: at.id,',
    'table.columns: cannot read at and a field in it: take the fields, or one column of the type json',
  ],
  ['item_id: { path: id, ', 'item_id: { ', 'table.columns.item_id: needs one of path, answer and parameter'],
  [
    'seen: {',
    'network: {',
    'table.columns.network: is a column that the walk pageChain adds: remove it, or take another name',
  ],
  ['time: seen', 'time: item_id', 'walk.time: item_id must be a column of the type time that is not nullable'],
  ['key: [item_id]', 'key: [item_id]\n  partitions: [month of item_id]', 'table.partitions.0: item_id is no time'],
  ['items: items', 'items: "items[]"', 'items: must be fields with dots between them, such as result.rows, or []'],
  [
    'kind: pageChain, time: seen',
    'kind: blockWindow, column: seen, head: { path: /h, at: n }',
    'walk: needs {from} and {to} (or {last}, the last one included) in query, path or body',
  ],
  [
    'kind: pageChain, time: seen',
    'kind: keyed, keys: ids',
    'walk.keys: must name a parameter of the type list, and ids is none',
  ],
])('a list with %s replaced by %s is refused', (from, to, mistake) => {
  expect(changed(from, to)).toContainEqual(expect.stringContaining(mistake))
})

test.each(['offset', 'page'])('the pager %s is refused for walks that would lose rows, with the reason', (kind) => {
  const [mistake] = changed('items: items', `items: items\npager: { kind: ${kind}, query: o }`)
  expect(mistake).toMatch(/^pager.kind: cannot be \w+ with the walk pageChain: .* rows are lost/)
  for (const walk of ['snapshot, store: changes', 'snapshot'])
    expect(
      mistakesIn(
        simpleList
          .replace('kind: pageChain, time: seen', `kind: ${walk}`)
          .replace('items: items', `items: items\npager: { kind: ${kind}, query: o }`),
      ),
    ).toEqual([])
})
