import { type AtomicTx, signedAtomicTx } from '../../codec/c/atomic-transactions.ts'
import { decodeExactly } from '../../codec/linear/index.ts'

/** Atomic transactions that somebody has issued: hex of their bytes, and the step whose block takes them. */
export type Issued = { readonly step: number; readonly txs: readonly string[] }

/** What has been issued for a step, in the order in which it came. */
export function issuedAt(issued: readonly Issued[], step: number): AtomicTx[] {
  return issued
    .filter((each) => each.step === step)
    .flatMap(({ txs }) => txs)
    .map((hex) => decodeExactly(signedAtomicTx, Buffer.from(hex, 'hex'), 'issued transaction'))
}
