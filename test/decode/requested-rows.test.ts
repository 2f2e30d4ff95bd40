import { describe, expect, test } from 'vitest'
import { addressBytes, nodeIdBytes } from '../../codec/ids.ts'
import { requestedRows } from '../../src/decode/requested-rows.ts'
import type { List, Requested } from '../../src/define/index.ts'
import { DecodeError } from '../../src/errors.ts'

const request: List['request'] = () => ({ host: 'data', method: 'GET', path: '/v1/items', query: {}, weight: 'small' })

function rowsOf(requested: Requested, ...items: readonly object[]) {
  const page = { rows: { items: items as any[] }, items: [], next: 'more' }
  return requestedRows(page, { request, requested }).rows['items']
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const wallet = `0x${'ab'.repeat(20)}`
const other = `0x${'cd'.repeat(20)}`
const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
const otherNode = 'NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ'
const owner = 'fuji1ur873jhz9qnaqv5qthk5sn3e8nj3e0kmafyxut'

describe('rows that were not requested', () => {
  test('are refused; the error has the request, the path and the item', () => {
    const requested = { values: [{ from_address: [wallet], to_address: [wallet] }] }
    const foreign = { block_number: 7, from_address: other, to_address: other, amount: 2n ** 70n }
    const mine = { ...foreign, to_address: wallet }
    let thrown: unknown
    try {
      rowsOf(requested, mine, foreign)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(DecodeError)
    expect(thrown).toMatchObject({
      code: 'decode.not-asked',
      exitCode: 4,
      retryable: false,
      details: {
        path: '/v1/items',
        'asked for': `from_address ${wallet} or to_address ${wallet}`,
        found: `from_address "${other}", to_address "${other}"`,
        item: expect.stringContaining(`items[1]: {"block_number":7,"from_address":"${other}"`),
      },
    })
  })

  test('are refused when they break only one of several rules', () => {
    const requested = { values: [{ owner: [wallet] }, { token_address: [other] }] }
    expect(rowsOf(requested, { owner: wallet, token_address: other })).toHaveLength(1)
    expect(() => rowsOf(requested, { owner: wallet, token_address: wallet })).toThrow(DecodeError)
    expect(() => rowsOf(requested, { owner: other, token_address: other })).toThrow(DecodeError)
  })

  test.each([
    ['case of a 0x address', wallet, wallet.toUpperCase().replace('0X', '0x')],
    ['0x', wallet, wallet.slice(2)],
    ['the prefix of the chain', owner, `P-${owner}`],
    ['the prefix of the chain in the question', `X-${owner}`, owner],
    ['case of a bech32 address', owner, owner.toUpperCase()],
    ['hexadecimal digits of an address', owner, `0x${hexOf(addressBytes(owner))}`],
    ['hexadecimal digits of a node id', nodeId, hexOf(nodeIdBytes(nodeId))],
    ['the checksum text of a node id', nodeId, nodeId.slice('NodeID-'.length)],
  ])('do not include rows with the same bytes in another spelling: %s', (_, requested, found) => {
    expect(rowsOf({ values: [{ column: [requested] }] }, { column: found })).toHaveLength(1)
    expect(rowsOf({ values: [{ column: [other, requested] }] }, { column: [otherNode, found] })).toHaveLength(1)
  })

  test('are refused when they are of another node or have a wrong checksum', () => {
    const requested = { values: [{ node_id: [nodeId] }] }
    for (const found of [otherNode, `${nodeId.slice(0, -1)}h`, 'NodeID-', ''])
      expect(() => rowsOf(requested, { node_id: found })).toThrow(DecodeError)
  })

  test('cannot be detected when the column is missing, null or an empty list', () => {
    const requested = { values: [{ proposer_node_id: [nodeId] }] }
    expect(rowsOf(requested, {}, { proposer_node_id: null }, { proposer_node_id: [] })).toHaveLength(3)
  })
})

describe('rows of a range', () => {
  const slice = { from: 10, to: 20 }
  const blocks = { range: { column: 'at', holds: 'numbers', slice, margin: { before: 0, after: 1 } } } as const
  const numbers = (...list: readonly (number | bigint)[]) => rowsOf(blocks, ...list.map((at) => ({ at })))

  test('are kept inside of the slice, dropped in its margin and refused beyond it', () => {
    expect(numbers(10, 19, 20)).toEqual([{ at: 10 }, { at: 19 }])
    expect(() => numbers(10, 9)).toThrow(DecodeError)
    expect(() => numbers(21)).toThrow(DecodeError)
    expect(numbers(19n, 20n)).toEqual([{ at: 19n }])
  })

  test('are compared by whole seconds when the column is a time', () => {
    const seconds = { range: { ...blocks.range, holds: 'times', margin: { before: 2, after: 3 } } } as const
    const times = (...list: readonly number[]) =>
      rowsOf(seconds, ...list.map((at) => ({ at: BigInt(at) * 1_000_000n })))
    expect(times(8, 9, 10, 19, 20, 22)).toEqual([{ at: 10_000_000n }, { at: 19_000_000n }])
    expect(() => times(7)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ 'asked for': 'at from 8 to 22' }) }),
    )
    expect(() => times(23)).toThrow(DecodeError)
  })
})
