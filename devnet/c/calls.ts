import { warpMessage, warpPayload } from '../../codec/warp.ts'
import { encodeNow } from '../network/encode.ts'
import { since } from '../network/eras.ts'
import { networkId } from '../network/genesis.ts'
import type { Call } from './call.ts'
import { erc20Batch, erc20Call } from './erc20.ts'
import { erc721Call } from './erc721.ts'
import { erc1155Call } from './erc1155.ts'
import type { CState } from './state.ts'

const nothing = new Uint8Array()
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
export function isWarpCall({ accessList }: Call): boolean {
  return accessList[0]?.[0] === warpPrecompile
}

export const warpAddress: Uint8Array = warpPrecompile

export function someCall(state: CState): Call {
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
