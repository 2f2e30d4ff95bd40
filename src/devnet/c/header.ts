import { keccak256 } from '../../codec/keccak.ts'
import { since } from '../network/eras.ts'
import type { NetworkState } from '../network/state.ts'
import { encodeRlp, type Rlp } from './rlp.ts'

const zeroHash = new Uint8Array(32)
/** keccak-256 of an empty list: the uncle hash of a block without uncles. */
const noUncles = keccak256(encodeRlp([]))
/** The root of an empty trie: keccak-256 of an empty string. */
const emptyRoot = keccak256(encodeRlp(new Uint8Array()))
const miner = Buffer.from('0100000000000000000000000000000000000000', 'hex')
const noBloom = new Uint8Array(256)

export type HeaderFacts = {
  readonly parentHash: Uint8Array
  readonly number: number
  readonly transactions: number
  readonly gasUsed: number
  readonly extra: Uint8Array
  readonly extData: Uint8Array
  /** Unix milliseconds. */
  readonly time: number
  /** In wei. */
  readonly baseFee: number
}

/**
 * The header fields of the era, 16 to 30 fields (wire-format.md 1.8). The roots of state, transactions and receipts are invented, except
 * for empty tries, and so is the bloom: no code is executed here.
 */
export function headerFields(network: NetworkState, facts: HeaderFacts): Rlp[] {
  const { era, noise, random } = network
  const { parentHash, number, gasUsed, extData, baseFee } = facts
  const seconds = Math.floor(facts.time / 1000)
  const root = facts.transactions === 0 ? () => emptyRoot : () => noise(32)
  const fields: Rlp[] = [
    parentHash,
    noUncles,
    miner,
    noise(32),
    root(),
    root(),
    facts.transactions === 0 ? noBloom : someBloom(network),
    1,
    number,
    gasLimitOf(network),
    gasUsed,
    seconds,
    facts.extra,
    zeroHash,
    new Uint8Array(8),
    since(era, 'apricot1') ? keccak256(encodeRlp(extData)) : zeroHash,
  ]
  if (since(era, 'apricot3')) fields.push(baseFee)
  const atomicGas = since(era, 'helicon') ? 0 : extData.length * 40
  if (since(era, 'apricot4')) fields.push(atomicGas, since(era, 'etna') ? 0 : random.below(100_000))
  if (since(era, 'etna')) fields.push(0, 0, zeroHash)
  if (since(era, 'granite')) fields.push(facts.time, 7_970_124)
  if (since(era, 'helicon')) {
    // The settled block is some blocks behind the head.
    fields.push(
      0,
      0,
      Math.max(0, number - 3),
      seconds - random.between(4, 8),
      random.below(1_000_000),
      random.below(100_000),
    )
  }
  return fields
}

function gasLimitOf({ era }: NetworkState): number {
  if (since(era, 'helicon')) return 20_000_000
  if (since(era, 'etna')) return 10_000_000
  return since(era, 'cortina') ? 15_000_000 : 8_000_000
}

function someBloom({ random }: NetworkState): Uint8Array {
  const bloom = new Uint8Array(256)
  for (let bits = random.between(0, 12); bits > 0; bits -= 1) bloom[random.below(256)]! |= 1 << random.below(8)
  return bloom
}
