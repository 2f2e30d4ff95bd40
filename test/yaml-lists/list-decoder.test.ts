import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../src/lib/package.ts'
import { listSchema } from '../../src/yaml-lists/check-list.ts'
import { listDecoder } from '../../src/yaml-lists/list-pipeline.ts'
import { id, owner } from '../decode/made-ids.ts'
import { contextOf, listOf } from './parsed-list.ts'

const whole = listOf(`
comment: Things.
service: own
network: test
parameters: { kind: { required: true, comment: Kind. } }
path: /things
items: result.things
pager: { kind: token, at: meta.next, query: cursor }
ignore: [meta.took, 'result.things[].logo']
walk: { kind: snapshot, store: changes }
table:
  name: things
  comment: Things.
  key: [thing_id]
  columns:
    thing_id: { path: id, type: text, comment: Id. }
    kind: { parameter: kind, type: text, comment: Kind. }
    height: { answer: height, type: int64, comment: Height. }
    owner_address: { path: owner.address, type: address, nullable: true, comment: Owner. }
    owner_since: { path: owner.since, type: time, unit: iso, nullable: true, comment: Since. }
    tags: { path: 'tags[].name', type: text, comment: Tags. }
    sizes: { path: 'sizes[]', type: u64, nullable: true, comment: Sizes. }
    amount: { path: amount, type: decimal, comment: Amount. }
    rate: { path: rate, type: double, nullable: true, null-values: ['N/A', -1], comment: Rate. }
    rest: { path: rest, type: json, nullable: true, comment: Rest. }
`)

const thing = {
  id: 7,
  tags: [{ name: 'a' }, { name: 'b' }],
  amount: 12345678901234567890123n,
  logo: 'x',
}
const decode = listDecoder(whole)({ network: 'test', subject: 's', values: { kind: 'big' } })
const page = (things: readonly object[], more: object = {}) => ({
  status: 200,
  next: null,
  json: { height: '12', result: { things }, meta: { next: 'n1', took: 3 }, ...more },
})

describe('an answer of a list in YAML', () => {
  test('with an error in it is refused, whatever items it has', () => {
    const refused = { code: 'transport.error-answer', exitCode: 3, retryable: true }
    const thrown = (answer: ReturnType<typeof page>, read = decode): unknown => {
      try {
        return read(answer, contextOf())
      } catch (error) {
        return error
      }
    }
    for (const [field, said] of [
      ['error', 'internal'],
      ['errors', [{ message: 'internal' }]],
      ['Error', { code: 5 }],
    ] as const) {
      expect(thrown(page([], { [field]: said })), field).toMatchObject({ ...refused, details: { field } })
      expect(thrown(page([thing], { [field]: said })), field).toMatchObject(refused)
      expect(thrown(page([], { result: { things: null }, [field]: said })), field).toMatchObject(refused)
      expect(thrown(page([], { result: null, [field]: said })), field).toMatchObject(refused)
    }
    for (const nothing of [
      null,
      false,
      '',
      0,
      [],
      {},
      [null],
      { code: 0, message: '' },
      { message: 'OK' },
      'No error',
      '0.0',
    ])
      expect(thrown(page([thing], { error: nothing, errors: nothing }))).toMatchObject({ items: [{ key: '7' }] })
    const ignoring = listDecoder({ ...whole, ignore: [...(whole.ignore ?? []), 'errors'] })
    const read = ignoring({ network: 'test', subject: 's', values: { kind: 'big' } })
    expect(thrown(page([thing], { errors: ['deprecated'] }), read)).toMatchObject({ items: [{ key: '7' }] })
  })

  test('becomes rows with exact numbers, nested fields, lists, and the columns of the walk', () => {
    const context = contextOf()
    const full = {
      ...thing,
      owner: { address: '0xABCDEFabcdef0123456789012345678901234567', since: '2025-01-02T03:04:05.000006Z' },
      sizes: ['18446744073709551615', 3],
      rate: 'N/A',
      rest: { big: 12345678901234567890n },
    }
    expect(decode(page([thing, full]), context)).toEqual({
      rows: {
        rows: [
          {
            network: 'test',
            observation_id: 'o1',
            observed_at: 5n,
            version_hash: '',
            present: true,
            thing_id: '7',
            kind: 'big',
            height: 12n,
            owner_address: null,
            owner_since: null,
            tags: ['a', 'b'],
            sizes: null,
            amount: 12345678901234567890123n,
            rate: null,
            rest: null,
          },
          expect.objectContaining({
            owner_address: '0xabcdefabcdef0123456789012345678901234567',
            owner_since: 1_735_787_045_000_006n,
            sizes: [18446744073709551615n, 3n],
            rate: null,
            rest: '{"big":12345678901234567890}',
          }),
        ],
      },
      items: [
        { key: '7', time: null },
        { key: '7', time: null },
      ],
      next: 'n1',
    })
    expect(context.unknown).toEqual([])
  })

  test('reports fields that no column names, also in objects that several columns read', () => {
    const context = contextOf()
    decode(page([{ ...thing, color: 'red', owner: { address: null, nick: 'x' } }], { extra: 1 }), context)
    expect(context.unknown.sort()).toEqual(['extra', 'result.things[].color', 'result.things[].owner.nick'])
  })

  test.each([
    [{ ...thing, amount: undefined }, 'result.things[0].amount'],
    [{ ...thing, amount: 1.5 }, 'result.things[0].amount'],
    [{ ...thing, id: '', tags: null }, 'result.things[0].tags'],
    [{ ...thing, tags: [{ name: null }] }, 'result.things[0].tags[0].name'],
    [{ ...thing, sizes: [-1] }, 'result.things[0].sizes[0]'],
    [{ ...thing, rate: 9007199254740993n }, 'result.things[0].rate'],
    [{ ...thing, owner: { since: 'yesterday' } }, 'result.things[0].owner.since'],
    [{ ...thing, owner: { since: '2025-01-02T03:04:05.0000001Z' } }, 'result.things[0].owner.since'],
  ])('with a value that does not fit is refused with the path of the field: %#', (wrong, path) => {
    expect(() => decode(page([wrong]), contextOf())).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ field: path }) }),
    )
  })

  test('states a fact in either of two fields, and an object has the fields that its column requires', () => {
    const columns =
      'columns: { a: { path: a|b.a, type: int64, comment: A. }, c: { path: d?.c, type: int64, nullable: true, comment: C. } }'
    const list = `comment: L.\nservice: own\nnetwork: test\npath: /l\nwalk: { kind: snapshot }\ntable: { name: t, comment: T., key: [a], ${columns} }`
    const read = listDecoder(listOf(list))({ network: 'test', subject: 's', values: {} })
    const rows = (json: object) => read({ status: 200, next: null, json }, contextOf()).rows['rows']
    expect(rows({ a: 1 })).toMatchObject([{ a: 1n, c: null }])
    expect(rows({ b: { a: 2 }, d: { c: 3 } })).toMatchObject([{ a: 2n, c: 3n }])
    expect(rows({ a: 2, b: { a: '2' } })).toMatchObject([{ a: 2n }])
    expect(() => rows({ a: 1, b: { a: 2 } })).toThrow('The fields a and b.a of the answer contradict each other.')
    expect(() => rows({ a: 1, d: {} })).toThrow('The answer has no field d.c.')
    expect(() => rows({})).toThrow('The answer has no field a.')
  })

  test('may be a list by itself, or one item', () => {
    const columns =
      'walk: { kind: snapshot }\ntable: { name: t, comment: T., key: [a], columns: { a: { path: a, type: int64, comment: A. } } }'
    const own = `comment: L.\nservice: own\nnetwork: test\npath: /l\n${columns}`
    const bare = listDecoder(listOf(`${own}\nitems: '[]'`))({ network: 'test', subject: 's', values: {} })
    const rows = (answer: unknown, read: typeof bare) =>
      read({ status: 200, next: null, json: answer }, contextOf()).rows['rows']
    expect(rows([{ a: 1 }, { a: 2 }], bare)).toMatchObject([{ a: 1n, subject: 's' }, { a: 2n }])
    const single = listDecoder(listOf(own))({ network: 'test', subject: 's', values: {} })
    expect(rows({ a: 3 }, single)).toMatchObject([{ a: 3n }])
  })
})

test('a column of a parameter is read by its type, like one of an answer', () => {
  const list = listOf(`
comment: Rewards.
service: own
network: test
parameters: { node: { required: true, comment: Node. }, owner: { required: true, comment: Owner. } }
path: /rewards
items: rewards
walk: { kind: snapshot, store: changes }
table:
  name: own_rewards
  comment: Rewards.
  key: [reward_id]
  columns:
    reward_id: { path: id, type: text, comment: Id. }
    node_id: { parameter: node, type: node-id, comment: Node. }
    owner: { parameter: owner, type: owner, comment: Owner. }
`)
  const owner = 'avax1h2ccj9f5ay5acl6tyn9mwmw32p8wref8vl8ctg'
  const node = 'NodeID-111111111111111111116DBWJs'
  const decode = listDecoder(list)({ network: 'test', subject: 's', values: { node, owner } })
  const { rows } = decode({ status: 200, next: null, json: { rewards: [{ id: 'a' }] } }, contextOf())
  expect(rows['rows']).toMatchObject([{ reward_id: 'a', node_id: node, owner }])
})

/** A decoder of a list that comes with the package. */
function shippedDecoder(name: string) {
  const shipped = parse(readFileSync(join(packageRoot(), 'pipelines/lists.yaml'), 'utf8'))
  const decode = listDecoder(listSchema.parse(shipped[name]))
  return decode({ network: 'mainnet', subject: 's', values: { network: 'mainnet' } })
}

test('the shipped list of blockchains takes the chains of the Primary Network as the service writes them', () => {
  const chain = {
    createBlockTimestamp: 1599696000,
    createBlockNumber: '-1',
    blockchainId: '11111111111111111111111111111111LpoYY',
    vmId: 'platformvm',
    subnetId: '11111111111111111111111111111111LpoYY',
    blockchainName: 'P-Chain',
  }
  const answer = { status: 200, next: null, json: { blockchains: [chain] } }
  const { rows } = shippedDecoder('rest-blockchains')(answer, contextOf())
  expect(Object.values(rows).flat()).toMatchObject([{ vm_id: 'platformvm', block_number: -1n, chain_name: 'P-Chain' }])
})

test('the shipped list of subnets has the present owner, and not the first one that the service also states', () => {
  const [first, present] = [owner('first'), owner('present')]
  const subnet = {
    createBlockTimestamp: 1700000000,
    createBlockIndex: '12',
    subnetId: id('subnet'),
    ownerAddresses: [first],
    threshold: 1,
    locktime: 0,
    subnetOwnershipInfo: { locktime: 7, threshold: 2, addresses: [present, first] },
    isL1: false,
    blockchains: [],
  }
  const context = contextOf()
  const answer = { status: 200, next: null, json: { subnets: [subnet] } }
  const { rows } = shippedDecoder('rest-subnets')(answer, context)
  expect(Object.values(rows).flat()).toMatchObject([
    { owner_addresses: [present, first], owner_threshold: 2n, owner_locktime: 7n },
  ])
  expect(context.unknown).toEqual([])
})
