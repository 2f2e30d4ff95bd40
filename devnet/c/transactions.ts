import { keccak256 } from '../../codec/keccak.ts'
import { since } from '../network/eras.ts'
import type { AccessList, Call } from './call.ts'
import { isWarpCall, someCall } from './calls.ts'
import { sign } from './curve.ts'
import { gasUsedOf } from './gas.ts'
import { encodeRlp, type Rlp } from './rlp.ts'
import { type Account, type CState, evmChainId, someAccount, weiPerUnit } from './state.ts'

/** A signed transaction as a block contains it. */
export type SignedTx = {
  readonly item: Rlp
  /** The bytes that its hash derives from. */
  readonly bytes: Uint8Array
  readonly type: 0 | 1 | 2
  readonly sender: Uint8Array
  /** Null if it creates a contract. */
  readonly to: Uint8Array | null
  readonly input: Uint8Array
  readonly gasUsed: number
  /** The hash of a transaction with a predicate; null for other transactions. */
  readonly warpHash: Uint8Array | null
}

/** Kinds of transactions: the type byte of typed ones, 0 for legacy ones with a chain id, 'open' for legacy ones without a chain id. */
type Kind = 'open' | 0 | 1 | 2

const nothing = new Uint8Array()
const mostContracts = 64

/** A transaction from an account that can pay for it; null if no such account was found. */
export function someTransaction(state: CState): SignedTx | null {
  const { random } = state.network
  const call = someCall(state)
  const tip = random.between(0, 3_000_000_000)
  const price = state.baseFee + tip
  const most = (call.value + BigInt(call.gas) * BigInt(price * 2)) / weiPerUnit + 1n
  const account = call.from ?? someAccount(state, most)
  if (account === null || account.balance < most) return null
  const kind = someKind(state, call)
  const accessList =
    call.accessList.length > 0 || kind === 'open' || kind === 0 ? call.accessList : someList(state, call)
  const raw = signed(kind, { ...call, accessList }, account, { tip, price })
  account.balance -= most
  arrive(state, call, account)
  account.nonce += 1
  call.done()
  const hash = keccak256(raw)
  return {
    item: kind === 'open' || kind === 0 ? { encoded: raw } : raw,
    bytes: raw,
    type: kind === 'open' ? 0 : kind,
    sender: account.address,
    to: call.to,
    input: call.input,
    gasUsed: gasUsedOf(call.gas, hash),
    warpHash: isWarpCall(call) ? hash : null,
  }
}

/** Applies a transaction to the state: an account receives the value, or a new contract can be called. */
function arrive({ accounts, contracts, network }: CState, { to, value }: Call, { address, nonce }: Account): void {
  if (to !== null) {
    const receiver = accounts.find((account) => account.address === to)
    if (receiver !== undefined) receiver.balance += value / weiPerUnit
    return
  }
  const created = keccak256(encodeRlp([address, nonce])).subarray(12)
  if (contracts.length < mostContracts) contracts.push(created)
  else contracts[network.random.below(mostContracts)] = created
}

/** Chooses a kind. Access lists (EIP-2930) and dynamic fees (EIP-1559) exist since Apricot 3. */
function someKind({ network }: CState, { accessList }: Call): Kind {
  const { random, era } = network
  if (accessList.length > 0) return random.pick([1, 2, 2])
  if (since(era, 'apricot3')) return random.pick<Kind>([0, 0, 0, 1, 1, 2, 2, 2, 2, 2])
  return random.oneIn(10) ? 'open' : 0
}

/** The access list of a call: its contract with some storage keys, or an empty list. */
function someList({ network }: CState, { to }: Call): AccessList {
  if (to === null || network.random.oneIn(2)) return []
  const keys = Array.from({ length: network.random.below(4) }, () => network.noise(32))
  return network.random.oneIn(3)
    ? [
        [to, keys],
        [network.noise(20), []],
      ]
    : [[to, keys]]
}

function signed(kind: Kind, call: Call, account: Account, fee: { tip: number; price: number }): Uint8Array {
  const { to, value, gas, input, accessList } = call
  const { nonce } = account
  const action = [gas, to ?? nothing, value, input]
  if (kind === 'open' || kind === 0) {
    const fields = [nonce, fee.price, ...action]
    const { parity, r, s } = sign(account, keccak256(encodeRlp(kind === 0 ? [...fields, evmChainId, 0, 0] : fields)))
    return encodeRlp([...fields, parity + (kind === 0 ? evmChainId * 2 + 35 : 27), r, s])
  }
  const prices = kind === 1 ? [fee.price] : [fee.tip, fee.price * 2]
  const fields = [evmChainId, nonce, ...prices, ...action, accessList]
  const { parity, r, s } = sign(account, keccak256(typed(kind, fields)))
  return typed(kind, [...fields, parity, r, s])
}

function typed(kind: 1 | 2, fields: readonly Rlp[]): Uint8Array {
  const list = encodeRlp(fields)
  const bytes = new Uint8Array(1 + list.length)
  bytes[0] = kind
  bytes.set(list, 1)
  return bytes
}
