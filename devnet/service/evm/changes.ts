import { createdAddress } from '../../../codec/evm/state-diffs.ts'
import { keccak256 } from '../../../codec/keccak.ts'
import { tokenNamed } from '../../c/contracts.ts'
import { hexOf, remembered } from '../../lib.ts'
import { zeroAddress } from './contracts.ts'
import { allCalls, innerCallsOf } from './inner-calls.ts'
import type { EvmState, EvmTransaction } from './state.ts'

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

/** An account at a moment. */
export type AccountState = { readonly balance: bigint; readonly nonce: bigint; readonly code: Uint8Array }

/** An account that a transaction used, before and after it, with the slots that it used. A slot is 64 hex digits. */
export type TouchedAccount = {
  readonly address: string
  readonly before: AccountState
  readonly after: AccountState
  readonly slots: readonly { readonly slot: string; readonly before: bigint; readonly after: bigint }[]
}

export type TouchedState = {
  readonly hash: string
  /** The contract that the transaction creates itself; null for others. */
  readonly created: string | null
  readonly accounts: readonly TouchedAccount[]
}

/** The state that each transaction of a block used, from the state before the block on. */
export function touchedState(state: EvmState, blockNumber: number): TouchedState[] {
  const { cumulativeTransactions: end, txCount } = state.blocks[blockNumber - 1]!
  const accounts = new Map<string, AccountState>()
  const slots = new Map<string, bigint>()
  const accountAt = (address: string): AccountState =>
    accounts.get(address) ?? {
      balance: state.nativeBalance(address, blockNumber - 1),
      nonce: state.nonce(address, blockNumber - 1),
      code: state.code(address, blockNumber - 1),
    }
  const slotAt = (address: string, slot: string): bigint =>
    slots.get(address + slot) ?? state.slot(address, slot, blockNumber - 1)

  const apply = (transaction: EvmTransaction): void => {
    for (const { address, balance, nonce, code } of accountChanges(transaction)) {
      const now = accountAt(address)
      accounts.set(address, { balance: now.balance + balance, nonce: now.nonce + nonce, code: code ?? now.code })
    }
    for (const { address, slot, added } of slotChanges(transaction))
      slots.set(address + slot, slotAt(address, slot) + added)
  }

  return state.transactions.slice(end - txCount, end).map((transaction) => {
    const used = usedSlots(transaction)
    const before = addressesOf(transaction).map((address) => ({
      address,
      before: accountAt(address),
      slots: [...(used.get(address) ?? [])].map((slot) => ({ slot, before: slotAt(address, slot) })),
    }))
    apply(transaction)
    return {
      hash: transaction.hash,
      created: transaction.to === null ? receiverOf(transaction) : null,
      accounts: before.map(({ address, slots: own, ...each }) => ({
        address,
        ...each,
        after: accountAt(address),
        slots: own.map((slot) => ({ ...slot, after: slotAt(address, slot.slot) })),
      })),
    }
  })
}

function addressesOf(transaction: EvmTransaction): string[] {
  const called = allCalls(innerCallsOf(transaction)).flatMap(({ from, to }) => [from, to])
  return [...new Set([transaction.from, receiverOf(transaction), ...called])]
}

/** The slots that a transaction uses by contract: those that it changes, and the balance of whoever wants to move tokens. */
function usedSlots(transaction: EvmTransaction): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>()
  const use = (address: string, slot: string) => used.set(address, (used.get(address) ?? new Set()).add(slot))
  const calls = allCalls(innerCallsOf(transaction)).filter(({ type }) => type === 'CALL')
  for (const { from, to } of [{ from: transaction.from, to: receiverOf(transaction) }, ...calls])
    if (tokenNamed(to)?.standard === 'ERC-20') use(to, balanceSlot(from))
  for (const { address, slot } of slotChanges(transaction)) use(address, slot)
  return used
}

/** The slots in which compilers put the first variables of an ERC-20: balances by owner, allowances, supply. */
const balances = 0
export const supplySlot = word(2)

/** The slot of the balance of an owner: the hash of the owner and the mapping's slot, as 64 hex digits. */
export const balanceSlot = remembered((owner: string) => {
  return hexOf(keccak256(Buffer.from(owner.slice(2).padStart(64, '0') + word(balances), 'hex')))
})

/** A number as 64 hex digits. */
export function word(value: number | bigint): string {
  return value.toString(16).padStart(64, '0')
}
