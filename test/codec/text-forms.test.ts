import { base58, bech32 } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addressBytes,
  addressText,
  decodeBase58,
  decodeCb58,
  encodeBase58,
  encodeCb58,
  hasChecksum,
  idText,
  nodeIdBytes,
  nodeIdText,
} from '../../codec/ids.ts'
import { DecodeError } from '../../src/errors.ts'
import { runs } from '../runs.ts'

const bytes = fc.uint8Array({ maxLength: 200 })

describe('text forms', () => {
  test('of base58 agree with another implementation, including leading zeros', () => {
    fc.assert(
      fc.property(bytes, fc.nat(5), (tail, zeros) => {
        const all = new Uint8Array([...new Uint8Array(zeros), ...tail])
        const text = encodeBase58(all)
        expect(text).toBe(base58.encode(all))
        expect(decodeBase58(text)).toEqual(all)
      }),
      { numRuns: runs(2000) },
    )
  })

  test('of base58 agree with another implementation for equal bytes of any length', () => {
    for (let length = 0; length < 70; length++)
      for (const fill of [0, 1, 57, 58, 127, 128, 255]) {
        const all = new Uint8Array(length).fill(fill)
        expect(encodeBase58(all)).toBe(base58.encode(all))
        expect(decodeBase58(encodeBase58(all))).toEqual(all)
      }
  })

  test('of CB58 are decoded to the same bytes, and a changed character is detected', () => {
    fc.assert(
      fc.property(bytes, (all) => {
        expect(decodeCb58(encodeCb58(all))).toEqual(all)
      }),
    )
    const text = encodeCb58(new Uint8Array(32).fill(7))
    expect(() => decodeCb58(text.replace(/^./, text[0] === 'z' ? 'y' : 'z'))).toThrow(DecodeError)
    for (const wrong of ['', '0', 'l', 'Oé', '1', '111']) expect(() => decodeCb58(wrong)).toThrow(DecodeError)
  })

  test('of known ids are correct', () => {
    expect(idText(new Uint8Array(32))).toBe('11111111111111111111111111111111LpoYY')
    expect(nodeIdText(nodeIdBytes('NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'))).toBe(
      'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
    )
    expect(() => nodeIdBytes('7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg')).toThrow(DecodeError)
  })

  test('of ids from the cache are correct, even when cache entries are replaced', () => {
    const id = new Uint8Array(32)
    for (let i = 0; i < 30_000; i++) {
      new DataView(id.buffer).setUint32((i % 7) * 4, (i * 2654435761) >>> 0)
      if (idText(id) !== encodeCb58(id)) expect(idText(id)).toBe(encodeCb58(id))
    }
  })

  test('of node ids of any length are decoded to the same bytes', () => {
    fc.assert(fc.property(bytes, (all) => void expect(nodeIdBytes(nodeIdText(all))).toEqual(all)))
  })

  test('of addresses agree with another implementation for every human-readable part', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        fc.constantFrom('avax', 'fuji', 'local', 'custom', 'testing'),
        (address, hrp) => {
          const text = addressText(hrp, address)
          expect(text).toBe(bech32.encode(hrp, bech32.toWords(address)))
          expect(addressBytes(text)).toEqual(address)
          expect(addressBytes(`P-${text}`)).toEqual(address)
          expect(hasChecksum(text)).toBe(true)
        },
      ),
      { numRuns: runs(1000) },
    )
    expect(() => addressBytes('P-avax1qqqq')).toThrow(DecodeError)
  })

  test('of addresses have a wrong checksum when up to four letters change, like in another implementation', () => {
    const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
    const change = fc.tuple(fc.nat(37), fc.integer({ min: 1, max: 31 }))
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        fc.uniqueArray(change, { minLength: 1, maxLength: 4, selector: ([at]) => at }),
        (address, changes) => {
          const text = [...addressText('fuji', address)]
          for (const [at, by] of changes) {
            const place = 'fuji1'.length + at
            text[place] = letters[(letters.indexOf(text[place]!) + by) % 32]!
          }
          expect(hasChecksum(text.join(''))).toBe(false)
          expect(bech32.decodeUnsafe(text.join(''))).toBeUndefined()
        },
      ),
      { numRuns: runs(1000) },
    )
    expect(hasChecksum(addressText('fuji', new Uint8Array(20)).replace('fuji', 'fuja'))).toBe(false)
  })
})
