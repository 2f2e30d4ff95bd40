import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeCBlock, type EvmTx, evmSender, evmSigningHash, evmTx, evmTxBytes } from '../../../codec/c.ts'
import { unwrap } from '../../../codec/containers.ts'
import { loadLibrary, recoverPublicKey } from '../../../codec/secp256k1.ts'
import { DecodeError } from '../../../src/errors.ts'
import { recordingNames } from '../../decode/recordings.ts'
import { senderOf } from '../../devnet/c-ledger.ts'
import { recordedContainers } from '../../recorded.ts'
import { runs } from '../../runs.ts'
import { valuesOf } from '../arbitrary.ts'

const library = await loadLibrary()

/** The same transaction with a `v` of a possible signature. */
function withParity(tx: EvmTx, parity: bigint): EvmTx {
  if (tx.type !== 'LegacyTx') return { ...tx, v: parity }
  return { ...tx, v: (tx.v % 2n === 0n ? 27n : 35n + 2n * 43_114n) + parity }
}

function outcome(act: () => Uint8Array): string {
  try {
    return Buffer.from(act()).toString('hex')
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
}

describe('senders of transactions', () => {
  test.each(recordingNames)('are the same as in another implementation, with either recovery: %s', (recording) => {
    for (const { bytes } of recordedContainers(`${recording}/c-containers`).slice(0, 40)) {
      const { block, transactionBytes } = decodeCBlock(unwrap(bytes).block, 'block')
      for (const [at, tx] of block.transactions.entries()) {
        const sender = senderOf(tx)
        expect(outcome(() => evmSender(tx, recoverPublicKey, transactionBytes[at]))).toBe(sender)
        expect(outcome(() => evmSender(tx, library, transactionBytes[at]))).toBe(sender)
      }
    }
  })

  test('are the same, or refused with the same error, with and without the library and the bytes', () => {
    fc.assert(
      fc.property(valuesOf(evmTx), fc.constantFrom(0n, 1n, 2n), (value, parity) => {
        const tx = withParity(value, parity)
        const expected = outcome(() => evmSender(tx, recoverPublicKey))
        expect(outcome(() => evmSender(tx, library, evmTxBytes(tx)))).toBe(expected)
        expect(evmSigningHash(tx, evmTxBytes(tx))).toEqual(evmSigningHash(tx))
        expect(expected).toMatch(/^[0-9a-f]{40}$|a signature that no key can have made/)
      }),
      { numRuns: runs(40) },
    )
  })
})
