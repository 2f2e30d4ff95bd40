import { keccak256 } from '../../codec/keccak.ts'
import { warpMessage, warpPayload } from '../../codec/warp.ts'
import { encodeNow } from '../network/container.ts'
import { networkId, since } from '../network/genesis.ts'
import { sign } from './curve.ts'
import { encodeRlp, type Rlp } from './rlp.ts'
import { type AccessList, type Account, type Call, type CState, evmChainId, someAccount, weiPerUnit } from './state.ts'
import { erc20Batch, erc20Call, erc721Call, erc1155Call } from './tokens.ts'

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

const plain = { from: null, value: 0n, input: nothing, accessList: [], done: () => {} }

function transfer({ network, accounts, wallets }: CState): Call {
  const { random } = network
  const to = random.oneIn(2) ? random.pick(accounts).address : random.pick(wallets)
  const value = BigInt(random.between(1, 1_000_000)) * 10n ** BigInt(random.between(10, 14))
  return { ...plain, to, value, gas: 21_000 }
}

/** Calls a contract with a few words of data. */
function contractCall({ network, contracts }: CState): Call {
  const { random, noise } = network
  const input = noise(4 + 32 * random.between(0, 12))
  const value = random.oneIn(5) ? BigInt(random.between(1, 1_000_000)) * 10n ** 12n : 0n
  return { ...plain, to: random.pick(contracts), value, gas: random.between(60_000, 600_000), input }
}

/** The first bytes of code that compilers emit. */
const preamble = Buffer.from('6080604052348015600f57600080fd5b50', 'hex')

function creation({ network }: CState): Call {
  const { random, noise } = network
  const input = Buffer.concat([preamble, noise(random.between(200, 3_000))])
  return { ...plain, to: null, gas: random.between(400_000, 2_000_000), input }
}

const warpPrecompile = Buffer.from('0200000000000000000000000000000000000005', 'hex')

/** A call with a warp message, which the keys of its access list hold. Such calls exist since Durango. */
function warpCall(state: CState): Call {
  const { random, noise } = state.network
  const message = encodeNow(warpMessage, {
    networkID: networkId,
    sourceChainID: noise(32),
    payload: encodeNow(warpPayload, { type: 'warp.AddressedCall', sourceAddress: noise(20), payload: noise(64) }),
    signature: { type: 'warp.BitSetSignature', signers: Uint8Array.of(0x0f), signature: noise(96) },
  })
  const call = contractCall(state)
  return { ...call, gas: random.between(200_000, 600_000), accessList: [[warpPrecompile, packed(message)]] }
}

/** Packs a predicate into whole storage keys: the bytes, 0xff, then zeros. */
function packed(bytes: Uint8Array): Uint8Array[] {
  const filled = new Uint8Array(Math.ceil((bytes.length + 1) / 32) * 32)
  filled.set(bytes)
  filled[bytes.length] = 0xff
  return Array.from({ length: filled.length / 32 }, (_, at) => filled.subarray(at * 32, at * 32 + 32))
}

/** Whether a transaction carries a predicate. The extra data of the header holds the result of the predicate. */
function isWarpCall({ accessList }: Call): boolean {
  return accessList[0]?.[0] === warpPrecompile
}

export const warpAddress: Uint8Array = warpPrecompile

function someCall(state: CState): Call {
  const { random, era } = state.network
  const draw = random.below(100)
  if (draw < 30) return transfer(state)
  if (draw < 54) return erc20Call(state)
  if (draw < 61) return erc20Batch(state)
  if (draw < 68) return erc721Call(state)
  if (draw < 74) return erc1155Call(state)
  if (draw < 92) return contractCall(state)
  if (draw < 95) return creation(state)
  return since(era, 'durango') ? warpCall(state) : contractCall(state)
}

const leastGas = 21_000

/**
 * The gas that a transaction uses: the whole limit for a plain transfer, otherwise a fraction that the transaction hash determines. No code
 * is executed here, so fees follow from the bytes of the chain alone.
 */
export function gasUsedOf(limit: number, hash: Uint8Array): number {
  return limit === leastGas ? limit : Math.floor((limit * (40 + (hash[0]! % 60))) / 100)
}
