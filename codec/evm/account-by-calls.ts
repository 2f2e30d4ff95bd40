import type { TracedAccount } from './state-diffs.ts'

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
