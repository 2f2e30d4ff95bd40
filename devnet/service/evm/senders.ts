import { type EvmTx, evmSender, evmSigningHash } from '../../../codec/c.ts'
import { signerOf } from '../../c/curve.ts'

// As pipelines load it, so that the command and its threads share one file: it holds 250 kB of WebAssembly.
const { recoverPublicKey } = await import('../../../codec/secp256k1.ts')

/** The 20-byte address that signed a transaction. Signers of the simulated network are found quickly. */
export function senderOf(tx: EvmTx): Uint8Array {
  const parity = tx.type !== 'LegacyTx' ? tx.v : tx.v >= 35n ? (tx.v - 35n) % 2n : tx.v - 27n
  return (
    signerOf(evmSigningHash(tx), { parity: parity === 0n ? 0 : 1, r: tx.r, s: tx.s }) ?? evmSender(tx, recoverPublicKey)
  )
}
