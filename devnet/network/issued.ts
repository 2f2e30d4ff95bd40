import { type AtomicTx, signedAtomicTx } from '../../codec/c.ts'
import { decodeExactly } from '../../codec/linear.ts'

/** Atomic transactions that a client has issued: the hex of their bytes, and the step with the block that includes them. */
export type Issued = { readonly step: number; readonly txs: readonly string[] }

/** The transactions that were issued for a step, in order of arrival. */
export function issuedAt(issued: readonly Issued[], step: number): AtomicTx[] {
  return issued
    .filter((each) => each.step === step)
    .flatMap(({ txs }) => txs)
    .map((hex) => decodeExactly(signedAtomicTx, Buffer.from(hex, 'hex'), 'issued transaction'))
}
