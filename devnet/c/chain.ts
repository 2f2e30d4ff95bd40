import { type AtomicTx, atomicTxBatch, signedAtomicTx } from '../../codec/c.ts'
import { hashedPart, wrap } from '../../codec/containers.ts'
import { sha256 } from '../../codec/hash.ts'
import { keccak256 } from '../../codec/keccak.ts'
import type { GeneratedContainer } from '../network/container.ts'
import { encodeNow } from '../network/encode.ts'
import { since } from '../network/eras.ts'
import { genesisHash } from '../network/genesis.ts'
import { branchOf } from '../network/random.ts'
import type { NetworkState } from '../network/state.ts'
import { createWrapping } from '../network/wrapping.ts'
import { someAtomicTx } from './atomic.ts'
import { extraData } from './extra.ts'
import { headerFields, type Roots } from './header.ts'
import { enterIssued } from './issued.ts'
import { encodeRlp } from './rlp.ts'
import { type CState, createCState } from './state.ts'
import { type SignedTx, someTransaction } from './transactions.ts'

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
