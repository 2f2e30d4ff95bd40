import { describe, expect, test } from 'vitest'
import { blockPlace } from '../../src/decode/evm/blocks.ts'
import { hexShape, topFields } from '../../src/decode/evm/hex-fields.ts'
import { DecodeError } from '../../src/errors.ts'
import { everyAnswer } from './every-answer.ts'
import { hash, id } from './made-ids.ts'
import { testContext } from './service/reading.ts'

const asset = { assetId: id('coin'), amount: '7' }

/** Decodes an answer of a route with changed fields in the first item of its list, or in the first item within that. */
function decodeWith(route: string, changes: object, within?: string): unknown {
  const { answer, decode } = everyAnswer.find((one) => one.route === route)!
  const [name, list] = Object.entries(answer).at(-1) as [string, any[]]
  const [first] = list
  const item =
    within === undefined ? { ...first, ...changes } : { ...first, [within]: [{ ...first[within][0], ...changes }] }
  return decode({ ...answer, [name]: [item] }, testContext())
}

describe('an answer that states one fact twice with different values', () => {
  test.each([
    ['EVM blocks', { blockTimestampMilliseconds: 1700086400000 }, 'blocks[0].blockTimestamp'],
    ['EVM blocks', { blockTimestampMilliseconds: 1699999998999 }, 'blocks[0].blockTimestamp'],
    ['transfers of a wallet', { blockTimestampMilliseconds: 1 }, 'transactions[0].blockTimestamp'],
    ['UTXOs of P', { amount: '8' }, 'utxos[0].amount'],
    ['UTXOs of P', { assetId: id('other') }, 'utxos[0].assetId'],
    ['UTXOs of P', { asset: { ...asset, amount: '9' } }, 'utxos[0].amount'],
    ['UTXOs of P', { creationTxHash: id('other') }, 'utxos[0].txHash'],
    ['UTXOs of P', { timestamp: 1700000001 }, 'utxos[0].blockTimestamp'],
    ['P transactions', { blockHeight: 7 }, 'transactions[0].blockNumber'],
    ['vertices', { txCount: 2 }, 'vertices[0].txCount'],
    ['blocks of a node', { txCount: 0 }, 'blocks[0].txCount'],
    ['validators', { stakeAmount: '5' }, 'validators[0].weight'],
  ])('%s with %j is refused', (route, changes, field) => {
    expect(() => decodeWith(route, changes)).toThrow(DecodeError)
    expect(() => decodeWith(route, changes)).toThrow(
      expect.objectContaining({ code: 'decode.contradiction', details: expect.objectContaining({ field }) }),
    )
  })

  test('is refused when the two texts of a validation id differ', () => {
    const decode = (validationIdHex: string) => decodeWith('P transactions', { validationIdHex }, 'l1ValidatorDetails')
    expect(() => decode(hash('w'))).toThrow('l1ValidatorDetails[0].validationIdHex')
    for (const text of [hash('v').slice(2), hash('v').toUpperCase().replace('X', 'x')]) decode(text)
  })

  test('is refused when the seconds and the milliseconds of an EVM block differ', () => {
    const place = (timestampMilliseconds: string) =>
      blockPlace(topFields({ number: '0x1', timestamp: '0x5', timestampMilliseconds }, hexShape()), {
        network: 'fuji',
        chainId: '1',
      })
    expect(place('0x176f').block_time).toBe(5_999_000n)
    for (const other of ['0x1387', '0x1770']) expect(() => place(other)).toThrow('timestampMilliseconds')
  })
})

test('an answer that states one fact twice with equal values is accepted', () => {
  decodeWith('UTXOs of P', { timestamp: '1700000000', creationTxHash: id('maker'), locktime: 0 })
  decodeWith('EVM blocks', { blockTimestampMilliseconds: 1700000001000 })
  decodeWith('validators', { stakeAmount: '18446744073709551615' })
})
