import { keccak256 } from '../../codec/keccak.ts'
import { since } from '../network/eras.ts'
import type { NetworkState } from '../network/state.ts'
import { encodeRlp, type Rlp } from './rlp.ts'

const zeroHash = new Uint8Array(32)
/** keccak-256 of an empty list: the uncle hash of a block without uncles. */
const noUncles = keccak256(encodeRlp([]))
const miner = Buffer.from('0100000000000000000000000000000000000000', 'hex')

/** What a header states of the transactions of its block and of their receipts. */
export type Roots = {
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
}

type HeaderFacts = {
  readonly roots: Roots
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
 * The header fields of the era, 16 to 30 fields (wire-format.md 1.8). The root of the state is invented. So are the root of receipts and
 * the Bloom filter since Helicon, when they belong to the blocks that this block settles.
 */
export function headerFields(network: NetworkState, facts: HeaderFacts): Rlp[] {
  const { era, noise, random } = network
  const { parentHash, number, gasUsed, extData, baseFee } = facts
  const seconds = Math.floor(facts.time / 1000)
  const stateRoot = noise(32)
  const { transactionsRoot, receiptsRoot, logsBloom } = rootsOf(network, facts)
  const fields: Rlp[] = [
    parentHash,
    noUncles,
    miner,
    stateRoot,
    transactionsRoot,
    receiptsRoot,
    logsBloom,
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

function rootsOf(network: NetworkState, { roots, transactions }: HeaderFacts): Roots {
  if (transactions === 0) return roots
  // Other eras draw them too, so that the eras of a seed do not depend on this.
  const { noise } = network
  const [, receiptsRoot, logsBloom] = [noise(32), noise(32), someBloom(network)]
  return since(network.era, 'helicon') ? { ...roots, receiptsRoot, logsBloom } : roots
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
