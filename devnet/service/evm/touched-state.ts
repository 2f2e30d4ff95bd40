import { tokenNamed } from '../../c/contracts.ts'
import { allCalls, innerCallsOf } from './inner-calls.ts'
import type { EvmState, EvmTransaction } from './state.ts'
import { accountChanges, receiverOf, slotChanges } from './state-changes.ts'
import { balanceSlot } from './token-storage.ts'

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
