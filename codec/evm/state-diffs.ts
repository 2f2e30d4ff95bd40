import { keccak256 } from '../keccak.ts'
import { createWriter, written } from '../linear.ts'
import { rlpBytes, rlpU64, writeList } from '../rlp.ts'

/** Reads what answers of the prestate tracer leave out. Values stay as the node wrote them. */

/** An account as the prestate tracer of a node writes it. Fields that are empty are absent. */
export type TracedAccount = {
  readonly balance?: unknown
  readonly nonce?: unknown
  readonly code?: unknown
  /** Values by slot. */
  readonly storage?: Readonly<Record<string, unknown>>
}

export type TracedAccounts = Readonly<Record<string, TracedAccount>>

/**
 * What a transaction changed. `pre` has the changed accounts as they were; of their slots only changed ones. `post` has the changed values only.
 * An account in `pre` alone is open: its contract destroyed itself, or tried to. Whether it still exists depends on the rules of the block
 * (EIP-6780), and on reverts. `pre` has every slot of it that the transaction used.
 */
export type StateDiff = { readonly pre: TracedAccounts; readonly post: TracedAccounts }

/** Values after a transaction that no diff of its block states: those of an account, and of slots. */
export type OpenState = {
  /** Position of the transaction. */
  readonly at: number
  readonly address: string
  readonly account: boolean
  readonly slots: readonly string[]
}

export type ListedTransaction = { readonly from?: unknown; readonly to?: unknown; readonly nonce?: unknown }

/** The contract that a transaction creates itself; null for other transactions, and where the block does not state sender and nonce. */
export function createdBy({ from, to, nonce }: ListedTransaction): string | null {
  if ((to !== null && to !== undefined) || typeof from !== 'string' || typeof nonce !== 'string') return null
  return /^0x[0-9a-f]{1,16}$/i.test(nonce) ? createdAddress(from, BigInt(nonce)) : null
}

/**
 * The diffs of the transactions of a block, with addresses in lower case and slots of 64 digits. A transaction that the chain does not trace
 * has none. `created`: the contract that each transaction creates itself. Nodes wrongly write that it had nonce 1 before; and they write
 * nothing about a contract without code and balance, so that it is open.
 */
export function stateDiffsOf(results: readonly unknown[], created: readonly (string | null)[]): StateDiff[] {
  return results.map((result, at) => {
    if (result === null) return noDiff
    const { pre, post } = inOneForm(result as StateDiff)
    const contract = created[at] ?? null
    return contract === null ? { pre, post } : withCreation({ pre, post }, contract)
  })
}

/** What a transaction without a trace changed. */
export const noDiff: StateDiff = { pre: {}, post: {} }

/** Nearly all nodes write slots like this. They need not be rewritten. */
const slotForm = /^0x[0-9a-f]{64}$/
const isSlotText = (slot: string) => slotForm.test(slot)
const isLower = (address: string) => address === address.toLowerCase()

/** A number of up to 32 bytes as `0x` and 64 digits. */
export function slotText(quantity: string): string {
  return isSlotText(quantity) ? quantity : `0x${quantity.slice(2).toLowerCase().padStart(64, '0')}`
}

/** Some nodes write addresses with the capitals of a checksum, or slots without leading zeros. The decoder refuses one that comes twice. */
function inOneForm({ pre, post }: StateDiff): StateDiff {
  return { pre: accountsInOneForm(pre), post: accountsInOneForm(post) }
}

function accountsInOneForm(accounts: TracedAccounts): TracedAccounts {
  const isOneForm = Object.entries(accounts).every(([address, account]) => isLower(address) && hasSlotTexts(account))
  if (isOneForm) return accounts
  return Object.fromEntries(
    Object.entries(accounts).map(([address, account]) => [address.toLowerCase(), inOneFormOfSlots(account)]),
  )
}

function hasSlotTexts({ storage }: TracedAccount): boolean {
  return Object.keys(storage ?? {}).every(isSlotText)
}

function inOneFormOfSlots(account: TracedAccount): TracedAccount {
  if (hasSlotTexts(account)) return account
  const slots = Object.entries(account.storage ?? {}).map(([slot, value]) => [slotText(slot), value])
  return { ...account, storage: Object.fromEntries(slots) }
}

function withCreation({ pre, post }: StateDiff, contract: string): StateDiff {
  const [before, after] = [pre[contract], post[contract]]
  if (before === undefined) return after === undefined ? { pre: { ...pre, [contract]: {} }, post } : { pre, post }
  if (!isNew(before)) return { pre, post }
  if (after === undefined) return { pre: { ...pre, [contract]: withoutNonce(before) }, post }
  if (Object.keys(after).length === 0) return { pre: without(pre, contract), post: without(post, contract) }
  return { pre: { ...pre, [contract]: withoutNonce(before) }, post: { ...post, [contract]: { nonce: 1, ...after } } }
}

/** Whether an account that a transaction creates has the nonce that it only gets by this. */
function isNew({ nonce, code }: TracedAccount): boolean {
  return Number(nonce) === 1 && code === undefined
}

/** The account before its creation. Null if it did not exist. */
export function beforeCreation(account: TracedAccount): TracedAccount | null {
  const before = isNew(account) ? withoutNonce(account) : account
  const isEmpty = Number(before.balance ?? 0) === 0 && before.nonce === undefined && before.code === undefined
  return isEmpty && before.storage === undefined ? null : before
}

function withoutNonce({ nonce: _, ...account }: TracedAccount): TracedAccount {
  return account
}

function without(accounts: TracedAccounts, address: string): TracedAccounts {
  return Object.fromEntries(Object.entries(accounts).filter(([other]) => other !== address))
}

/** Whether a diff does not state an account after its transaction. */
export function isOpen({ pre, post }: StateDiff, address: string): boolean {
  return address in pre && !(address in post)
}

/** Code that delegates to another address (EIP-7702). Clearing it leaves no field in `post`, as does leaving it alone. */
const delegation = '0xef0100'

/** Whether a diff does not state the code of an account after its transaction. */
export function isCodeOpen(diff: StateDiff, address: string): boolean {
  const before = diff.pre[address]?.code
  if (isOpen(diff, address)) return true
  return typeof before === 'string' && before.startsWith(delegation) && diff.post[address]?.code === undefined
}

/** The account after a transaction, as the next diff of the block with it begins; null if there is none. */
export function laterAccount(diffs: readonly StateDiff[], at: number, address: string): TracedAccount | null {
  const next = diffs.find(({ pre, post }, other) => other > at && (address in pre || address in post))
  return next === undefined ? null : (next.pre[address] ?? {})
}

/** The slot after a transaction, as the next diff of the block with it begins: undefined means empty. Null if there is none. */
export function laterSlot(
  diffs: readonly StateDiff[],
  at: number,
  { address, slot }: { readonly address: string; readonly slot: string },
): { readonly value: unknown } | null {
  const next = diffs.find(
    ({ pre, post }, other) =>
      other > at && (slotIn(pre[address], slot) !== undefined || slotIn(post[address], slot) !== undefined),
  )
  return next === undefined ? null : { value: slotIn(next.pre[address], slot) }
}

function slotIn(account: TracedAccount | undefined, slot: string): unknown {
  return account?.storage?.[slot]
}

/** The values that no diff of a block states. */
export function openStates(diffs: readonly StateDiff[]): OpenState[] {
  return diffs.flatMap((diff, at) =>
    Object.keys(diff.pre).flatMap((address) => {
      const account = isCodeOpen(diff, address) && laterAccount(diffs, at, address) === null
      const slots = isOpen(diff, address) ? Object.keys(diff.pre[address]!.storage ?? {}) : []
      const open = slots.filter((slot) => laterSlot(diffs, at, { address, slot }) === null)
      return account || open.length > 0 ? [{ at, address, account, slots: open }] : []
    }),
  )
}

/** A call as the call tracer writes it. */
export type TracedCall = {
  readonly type: string
  readonly from: string
  readonly to?: string | null
  readonly value?: string | null
  readonly output?: string
  readonly error?: string | null
  readonly calls?: readonly TracedCall[]
}

type AccountByCalls = {
  readonly address: string
  /** The account before the transaction. */
  readonly before: TracedAccount
  /** Whether SELFDESTRUCT deletes a contract only in the transaction that created it (EIP-6780). */
  readonly keepsOlder: boolean
}

/** What calls did to an account. */
type Effects = { moved: bigint; counted: bigint; code: unknown; isCreated: boolean; isDestroyed: boolean }

/**
 * A contract after a transaction that it did not send, by the calls of this transaction; null if the transaction deleted it. Calls do not
 * state storage.
 */
export function accountByCalls(
  root: TracedCall,
  { address, before, keepsOlder }: AccountByCalls,
): TracedAccount | null {
  const effects: Effects = { moved: 0n, counted: 0n, code: before.code, isCreated: false, isDestroyed: false }
  follow(root, address, effects)
  const { moved, counted, code, isCreated, isDestroyed } = effects
  if (isDestroyed && (isCreated || !keepsOlder)) return null
  const nonce = BigInt(String(before.nonce ?? 0)) + counted + (isCreated ? 1n : 0n)
  return { balance: hex(BigInt(String(before.balance ?? 0)) + moved), nonce: hex(nonce), code: code ?? '0x' }
}

const creations = ['CREATE', 'CREATE2']
const movingValue = [...creations, 'CALL', 'SELFDESTRUCT', 'INVALID']

/** Adds the effects of a call and of the calls within it, unless it was reverted. */
function follow(call: TracedCall, address: string, effects: Effects): void {
  const [type, from, to] = [call.type.toUpperCase(), call.from.toLowerCase(), call.to?.toLowerCase()]
  const isCreation = creations.includes(type)
  // A creation counts even if it fails.
  if (isCreation && from === address) effects.counted += 1n
  if ((call.error ?? '') !== '') return
  const value = movingValue.includes(type) ? BigInt(call.value ?? 0) : 0n
  if (from === address) effects.moved -= value
  if (to === address) effects.moved += value
  if (type === 'SELFDESTRUCT' && from === address) effects.isDestroyed = true
  if (isCreation && to === address) {
    effects.isCreated = true
    effects.code = call.output
  }
  for (const each of call.calls ?? []) follow(each, address, effects)
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}

/** An RLP list of an address and a nonce has at most 31 bytes. */
const mostBytes = 32

/** The address of the contract that an account creates with a nonce, in lower-case hex. `creator` is hex with 0x. */
export function createdAddress(creator: string, nonce: bigint): string {
  const writer = createWriter(mostBytes)
  writeList(writer, () => {
    rlpBytes.write(writer, Buffer.from(creator.slice(2), 'hex'))
    rlpU64.write(writer, nonce)
  })
  return `0x${Buffer.from(keccak256(written(writer)).subarray(12)).toString('hex')}`
}
