import { word } from '../../service/evm/token-storage.ts'
import type { AccountState, TouchedAccount, TouchedState } from '../../service/evm/touched-state.ts'
import { data, quantity } from './hex.ts'

type AccountJson = Readonly<Record<string, unknown>>
type AccountsJson = Readonly<Record<string, AccountJson>>

type PrestateJson = { readonly txHash: string; readonly result: AccountsJson | DiffJson }
type DiffJson = { readonly pre: AccountsJson; readonly post: AccountsJson }

/** The state that a transaction used, before it, as the prestate tracer writes it. */
export function prestateJson({ hash, created, accounts }: TouchedState): PrestateJson {
  const listed = accounts.map(({ address, before, slots }): [string, AccountJson] => {
    const values = slots.map(({ slot, before: value }) => [slot, value] as const)
    return [address, accountJson(address === created ? counted(before) : before, values)]
  })
  return { txHash: hash, result: Object.fromEntries(listed) }
}

/** What a transaction changed, as the prestate tracer writes it with `diffMode`: unchanged accounts and fields are absent. */
export function stateDiffJson({ hash, created, accounts }: TouchedState): PrestateJson {
  const changes = accounts
    .map((account) => (account.address === created ? { ...account, before: counted(account.before) } : account))
    .map((account) => ({ ...account, changed: changesJson(account) }))
    .filter(({ changed }) => Object.keys(changed).length > 0)
  const existing = changes.filter(({ before }) => before.nonce > 0n || before.balance > 0n || before.code.length > 0)
  return {
    txHash: hash,
    result: {
      pre: Object.fromEntries(
        existing.map(({ address, before, slots }) => {
          const changed = slots.filter((slot) => slot.before !== slot.after && slot.before !== 0n)
          const values = changed.map(({ slot, before: value }) => [slot, value] as const)
          return [address, accountJson(before, values)]
        }),
      ),
      post: Object.fromEntries(changes.map(({ address, changed }) => [address, changed])),
    },
  }
}

/** Nodes write a contract that a transaction creates itself with the nonce that it only gets by this. */
function counted(account: AccountState): AccountState {
  return { ...account, nonce: account.nonce + 1n }
}

function accountJson(
  { balance, nonce, code }: AccountState,
  slots: readonly (readonly [slot: string, value: bigint])[],
): AccountJson {
  return {
    balance: quantity(balance),
    ...(code.length === 0 ? {} : { code: data(code) }),
    ...(nonce === 0n ? {} : { nonce: Number(nonce) }),
    ...(slots.length === 0 ? {} : { storage: storageJson(slots) }),
  }
}

function changesJson({ before, after, slots }: TouchedAccount): AccountJson {
  const changed = slots.filter((slot) => slot.before !== slot.after)
  const values = changed.filter((slot) => slot.after !== 0n).map(({ slot, after: value }) => [slot, value] as const)
  return {
    ...(before.balance === after.balance ? {} : { balance: quantity(after.balance) }),
    ...(Buffer.compare(before.code, after.code) === 0 ? {} : { code: data(after.code) }),
    ...(before.nonce === after.nonce ? {} : { nonce: Number(after.nonce) }),
    ...(changed.length === 0 ? {} : { storage: storageJson(values) }),
  }
}

function storageJson(slots: readonly (readonly [slot: string, value: bigint])[]): AccountJson {
  return Object.fromEntries(slots.map(([slot, value]) => [`0x${slot}`, `0x${word(value)}`]))
}
