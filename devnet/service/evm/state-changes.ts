import { createdAddress } from '../../../codec/evm/state-diffs.ts'
import { zeroAddress } from './contracts/contract.ts'
import { allCalls, innerCallsOf } from './inner-calls.ts'
import type { EvmTransaction } from './state.ts'
import { balanceSlot, supplySlot } from './token-storage.ts'

/** A change of an account. Amounts are added. */
type AccountChange = {
  readonly address: string
  /** In wei. */
  readonly balance: bigint
  readonly nonce: bigint
  /** The code of a new contract; null if the code stays. */
  readonly code: Uint8Array | null
}

/** A change of a storage slot of a token contract, by which amount. A slot is 64 hex digits. */
type SlotChange = { readonly address: string; readonly slot: string; readonly added: bigint }

/** What a transaction changes in the accounts: it pays, moves its value, counts nonces and creates contracts. */
export function accountChanges(transaction: EvmTransaction): AccountChange[] {
  const { from, value, result } = transaction
  const paid = BigInt(result.gasUsed) * result.price
  const to = receiverOf(transaction)
  const code = transaction.to === null ? codeOfCreated(transaction) : null
  const created = allCalls(innerCallsOf(transaction)).filter(({ type }) => type === 'CREATE2')
  return [
    { address: from, balance: -paid - value, nonce: 1n, code: null },
    { address: to, balance: value, nonce: code === null ? 0n : 1n, code },
    ...created.flatMap((call) => [
      { address: call.from, balance: 0n, nonce: 1n, code: null },
      { address: call.to, balance: 0n, nonce: 1n, code: null },
    ]),
  ]
}

/** The address that a transaction calls or creates. */
export function receiverOf({ from, to, nonce }: EvmTransaction): string {
  return to ?? createdAddress(from, nonce)
}

/** The code of the contract that a transaction creates. It stops at once; the hash makes it unique. */
export function codeOfCreated({ hash }: EvmTransaction): Uint8Array {
  return Buffer.from(`00${hash.slice(2)}`, 'hex')
}

/** What a transaction changes in the storage of ERC-20 contracts: balances and the supply. */
export function slotChanges({ result: { called } }: EvmTransaction): SlotChange[] {
  if (called?.token.standard !== 'ERC-20') return []
  const { address } = called.token
  return called.logs
    .flatMap(({ moves }) => moves)
    .flatMap(({ from, to, value }) => [
      // What comes from nowhere is minted, what goes there is burned.
      from === zeroAddress
        ? { address, slot: supplySlot, added: value }
        : { address, slot: balanceSlot(from), added: -value },
      to === zeroAddress
        ? { address, slot: supplySlot, added: -value }
        : { address, slot: balanceSlot(to), added: value },
    ])
}
