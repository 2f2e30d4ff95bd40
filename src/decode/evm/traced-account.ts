import type { TracedAccount } from '../../../codec/evm/state-diffs.ts'
import { slotText } from './cell-rows.ts'
import { bytes, createKind, type Fields, optionalU64, quantityText, u256, wrongField } from './fields.ts'

/** An account as the prestate tracer states it, with zeros for what it leaves out. */
export type Account = { readonly balance: bigint; readonly nonce: bigint; readonly code: Uint8Array }

const kind = createKind('accounts[]')
for (const name of ['balance', 'nonce', 'code', 'codeHash', 'storage']) kind.known.add(name)
/** Slots are names of fields, which the decoder does not remember. */
const slotKind = { ...createKind('accounts[].storage'), complete: true }
const noCode: Uint8Array = Buffer.alloc(0)

/** The fields of an account. Errors name its position among the accounts of `list`. */
export function accountFields(object: TracedAccount, parent: Fields, list: string, position: number): Fields {
  return { object: object as Fields['object'], parent, list, position, kind }
}

/** Reads an account; a field that is absent has the value of `otherwise`. */
export function accountOf(at: Fields, otherwise: Account = { balance: 0n, nonce: 0n, code: noCode }): Account {
  const has = (name: string) => at.object[name] !== undefined
  return {
    balance: has('balance') ? u256(at, 'balance') : otherwise.balance,
    nonce: has('nonce') ? nonceOf(at) : otherwise.nonce,
    code: has('code') ? bytes(at, 'code') : otherwise.code,
  }
}

/** The tracer writes nonces as numbers, other methods as quantities. */
function nonceOf(at: Fields): bigint {
  const value = at.object['nonce']
  if (typeof value !== 'number' && typeof value !== 'bigint') return optionalU64(at, 'nonce') ?? 0n
  const nonce = Number.isInteger(value) || typeof value === 'bigint' ? BigInt(value) : -1n
  if (nonce >= 0n && nonce < 1n << 64n) return nonce
  throw wrongField(at, 'nonce', 'is no number of 64 bits', value)
}

/** The slots of an account with their values, 0x and 64 digits each. */
export function slotsOf(at: Fields): Map<string, string> {
  const storage = at.object['storage']
  if (storage === undefined || storage === null) return new Map()
  if (typeof storage !== 'object' || Array.isArray(storage)) throw wrongField(at, 'storage', 'is no object', storage)
  const fields = { ...at, object: storage as Fields['object'], kind: slotKind }
  return new Map(Object.keys(storage).map((slot) => [slot, slotText(quantityText(fields, slot))]))
}
