import { type AtomicTx, atomicTxBatch, signedAtomicTx } from '../../codec/c.ts'
import { hashedPart, wrap } from '../../codec/containers.ts'
import { sha256 } from '../../codec/hash.ts'
import { keccak256 } from '../../codec/keccak.ts'
import { createWrapping, encodeNow, type GeneratedContainer } from '../network/container.ts'
import { genesisHash, since } from '../network/genesis.ts'
import { branchOf } from '../network/random.ts'
import type { NetworkState } from '../network/state.ts'
import { enterIssued, someAtomicTx } from './atomic.ts'
import { encodeRlp, type Rlp } from './rlp.ts'
import { type CState, createCState } from './state.ts'
import { type SignedTx, someTransaction, warpAddress } from './transactions.ts'

/** Creates the containers of the C-Chain one after the other. */
type CChain = {
  /** Creates the next block. `issued`: atomic transactions from clients; a block that includes some of them has no other content. */
  next(issued: readonly AtomicTx[]): GeneratedContainer
}

const nothing = new Uint8Array()

/** `execute` returns what the header states of the transactions of the next block. */
export function createCChain(
  network: NetworkState,
  seed: number,
  execute: (transactions: readonly SignedTx[]) => Roots,
): CChain {
  const state = createCState(network)
  const wrapping = createWrapping(network, 'apricot4', branchOf(seed, 'C'))
  let parentHash = genesisHash(seed, 'C genesis')
  let parentContainer = parentHash
  const waiting: AtomicTx[] = []
  let number = 0
  let time = 0
  return {
    next: (issued) => {
      moveBaseFee(state)
      waiting.push(...issued)
      const atomicOnly = takeIssued(state, waiting)
      const { transactions, atomicTxs } =
        atomicOnly.length > 0 ? { transactions: [], atomicTxs: atomicOnly } : someContent(state)
      const extData = extDataOf(network, atomicTxs)
      number += 1
      time = timeAfter(network, time)
      const warpHashes = transactions.flatMap(({ warpHash }) => (warpHash === null ? [] : [warpHash]))
      const header = encodeRlp(
        headerFields(network, {
          roots: execute(transactions),
          parentHash,
          number,
          transactions: transactions.length,
          gasUsed: transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0),
          extra: extraData(state, warpHashes),
          extData,
          time,
          baseFee: state.baseFee,
        }),
      )
      const hash = keccak256(header)
      const block = encodeRlp([{ encoded: header }, transactions.map(({ item }) => item), [], 0, extData])
      const wrapper = wrapping(block, parentContainer, false)
      const bytes = wrap(wrapper)
      const id = wrapper.type === 'none' ? hash : sha256(hashedPart(bytes, wrapper))
      parentHash = hash
      parentContainer = id
      return { bytes, id, clock: network.clock, nanoseconds: network.random.below(1_000_000_000) }
    },
  }
}

/** Removes from the queue the issued transactions that one block of the era can include: one before Apricot 5, all since then. */
function takeIssued(state: CState, waiting: AtomicTx[]): AtomicTx[] {
  const taken = waiting.splice(0, since(state.network.era, 'apricot5') ? waiting.length : 1)
  for (const tx of taken) enterIssued(state, tx)
  return taken
}

/** The content of a block: EVM transactions, atomic transactions, or both. */
function someContent(state: CState): { transactions: SignedTx[]; atomicTxs: AtomicTx[] } {
  const { random } = state.network
  const transactions = someTransactions(state, random.pick([0, 1, 1, 1, 1, 2, 2, 3, 5]))
  const atomicTxs = transactions.length === 0 || random.oneIn(3) ? someAtomicTxs(state) : []
  return {
    transactions: transactions.length + atomicTxs.length === 0 ? someTransactions(state, 1) : transactions,
    atomicTxs,
  }
}

function someTransactions(state: CState, count: number): SignedTx[] {
  return Array.from({ length: count }, () => someTransaction(state)).filter((tx) => tx !== null)
}

/** At most one atomic transaction before Apricot 5. */
function someAtomicTxs(state: CState): AtomicTx[] {
  const { random, era } = state.network
  const most = since(era, 'apricot5') ? random.pick([1, 1, 2, 3]) : 1
  const txs: AtomicTx[] = []
  for (let tries = 0; tries < most * 3 && txs.length < most; tries += 1) {
    const tx = someAtomicTx(state)
    if (tx !== null) txs.push(tx)
  }
  return txs
}

function extDataOf({ era }: NetworkState, txs: readonly AtomicTx[]): Uint8Array {
  if (txs.length === 0) return nothing
  return since(era, 'apricot5') ? encodeNow(atomicTxBatch, txs) : encodeNow(signedAtomicTx, txs[0]!)
}

/** Time of the next block in milliseconds: within the current second, and never before the last block. */
function timeAfter({ clock, random }: NetworkState, last: number): number {
  const earliest = Math.max(last, clock * 1000)
  return earliest + random.below(clock * 1000 + 1000 - earliest)
}

/** Moves the base fee at random: around 25 gwei, and far below since Etna (ACP-125). */
function moveBaseFee(state: CState): void {
  const { era, random } = state.network
  const [low, high] = since(era, 'etna') ? [1, 2_000_000_000] : [25_000_000_000, 225_000_000_000]
  const moved = Math.floor((state.baseFee * random.between(930, 1_070)) / 1000)
  state.baseFee = Math.min(high, Math.max(low, moved))
}

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
function headerFields(network: NetworkState, facts: HeaderFacts): Rlp[] {
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

const feeWindow = 80
const feeState = 24

/**
 * The extra data of a header (wire-format.md 1.8): the fee window since Apricot 3, the fee state since Fortuna, and neither since Helicon.
 * Since Durango the results of warp predicates follow, by transaction.
 */
function extraData({ network }: CState, warpHashes: readonly Uint8Array[]): Uint8Array {
  const { era } = network
  const fee = !since(era, 'apricot3') || since(era, 'helicon') ? 0 : since(era, 'etna') ? feeState : feeWindow
  const results = since(era, 'durango') ? predicateResults(warpHashes) : nothing
  const extra = new Uint8Array(fee + results.length)
  // Gas counters of 8 bytes each, with small numbers.
  for (let at = 5; at < fee; at += 8) extra.set(network.noise(3), at)
  extra.set(results, fee)
  return extra
}

/** Codec version, then a map by transaction of maps by precompile. An empty bit set means that no predicate failed. */
function predicateResults(hashes: readonly Uint8Array[]): Uint8Array {
  const entry = 32 + 4 + 20 + 4
  const bytes = Buffer.alloc(6 + hashes.length * entry)
  bytes.writeUInt32BE(hashes.length, 2)
  hashes.toSorted(Buffer.compare).forEach((hash, position) => {
    const at = 6 + position * entry
    bytes.set(hash, at)
    bytes.writeUInt32BE(1, at + 32)
    bytes.set(warpAddress, at + 36)
  })
  return bytes
}
