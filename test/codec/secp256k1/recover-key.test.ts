import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keccak256 } from '../../../codec/keccak.ts'
import { loadAddon, loadLibrary, type RecoverKey, recoverPublicKey } from '../../../codec/secp256k1.ts'
import { createKey, sign } from '../../../devnet/c/curve.ts'
import { runs } from '../../runs.ts'

/** The order of the group, and the order of the field of the coordinates. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const field = 2n ** 256n - 2n ** 32n - 977n

const library = await loadLibrary()

/** The tests compare the library with this addon, so it must be installed. */
function installedAddon(): RecoverKey {
  const addon = loadAddon()
  if (addon === null) throw new Error('The optional dependency secp256k1 is not installed: run `npm ci`.')
  return addon
}

function signatureOf(r: bigint, s: bigint): Uint8Array {
  return Buffer.from([r, s].map((value) => value.toString(16).padStart(64, '0')).join(''), 'hex')
}

const digests = fc.uint8Array({ minLength: 32, maxLength: 32 })
const parities = fc.constantFrom(0, 1) as fc.Arbitrary<0 | 1>
const scalars = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt(0n, 2n ** 256n - 1n) },
  fc.constantFrom(0n, 1n, order - 1n, order, order + 1n, order / 2n, field - 1n, field, 2n ** 256n - 1n),
)

test('addon and library recover the same key from any signature, or both recover none', () => {
  const addon = installedAddon()
  const counts = { keys: 0, refusals: 0 }
  fc.assert(
    fc.property(digests, scalars, scalars, parities, (digest, r, s, parity) => {
      const found = addon(digest, signatureOf(r, s), parity)
      expect(found && Buffer.from(found)).toEqual(bufferOrNull(library(digest, signatureOf(r, s), parity)))
      counts[found === null ? 'refusals' : 'keys'] += 1
    }),
    { numRuns: runs(200) },
  )
  expect(counts.keys).toBeGreaterThan(20)
  expect(counts.refusals).toBeGreaterThan(20)
})

function bufferOrNull(bytes: Uint8Array | null): Buffer | null {
  return bytes && Buffer.from(bytes)
}

test('addon, library and the default of both recover the keys that signed', () => {
  const recoveries = [installedAddon(), library, recoverPublicKey]
  fc.assert(
    fc.property(digests, fc.string(), (digest, text) => {
      const key = createKey(text)
      const { r, s, parity } = sign(key, digest)
      for (const recover of recoveries) {
        const found = recover(digest, signatureOf(r, s), parity)!
        expect(found).toHaveLength(64)
        expect(Buffer.from(keccak256(found).subarray(12))).toEqual(Buffer.from(key.address))
      }
    }),
    { numRuns: runs(20) },
  )
})

test.each([
  ['an r of zero', 0n, 1n],
  ['an s of zero', 1n, 0n],
  ['an r as large as the order', order, 1n],
  ['an s as large as the order', 1n, order],
  ['an r that is no point', 5n, 1n],
])('addon and library refuse %s', (_, r, s) => {
  const digest = new Uint8Array(32).fill(7)
  for (const recover of [installedAddon(), library]) expect(recover(digest, signatureOf(r, s), 0)).toBeNull()
})

test('loadAddon returns null without the addon, and a wrong call of the addon throws', () => {
  expect(loadAddon('secp256k1-is-not-installed/bindings.js')).toBeNull()
  const addon = installedAddon()
  expect(() => addon(new Uint8Array(31), signatureOf(1n, 1n), 0)).toThrow(/message/)
})

test('elliptic, a dependency of the addon with an open advisory, is never loaded', () => {
  installedAddon()
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  expect(loaded.filter((path) => /[\\/]secp256k1[\\/]bindings\.js$/.test(path))).toHaveLength(1)
  expect(loaded.filter((path) => /elliptic/.test(path))).toEqual([])
})
