import { idText } from '../../../../codec/ids.ts'
import { type XCodec, xCodec } from '../../../../codec/x.ts'
import type { GrowingNetwork } from '../../../chains/growing-network.ts'
import type { IndexPath } from '../../../chains/network.ts'
import { readContainers } from '../../../index/follow.ts'
import { genesisTime, nativeAssetText, zeroId } from '../../../network/genesis.ts'
import { type ChainAlias, createNetworkState } from '../../../network/state.ts'
import { sumOf, type Wallet } from '../../../network/wallets.ts'
import { createPState } from '../../../p/state.ts'
import { createXState } from '../../../x/state.ts'
import { type AddressIndex, type Book, createAddressIndex, createBook, type Follower, type Journal } from './book.ts'
import { createCFollower } from './c-chain.ts'
import type { LedgerTx } from './model.ts'
import { createPFollower } from './p-chain.ts'
import { createTally, cTables, pTables, xTables } from './tally.ts'
import { createVertexFollower, createXFollower } from './x-chain.ts'

/** The P-Chain, X-Chain and atomic C-Chain transactions of a network up to its head, and the resulting state. */
export type PrimaryState = Omit<Journal, 'byValidation'> & {
  readonly byValidation: ReadonlyMap<string, readonly LedgerTx[]>
  readonly addresses: AddressIndex
  /** The number of containers that have been read. Values computed from the state are valid while it is unchanged. */
  readonly containers: number
}

export type PrimaryLedger = {
  /** The state at the current head. The first call reads the chains, later calls read what was added since. */
  state(): Promise<PrimaryState>
}

/**
 * The ledger of the primary network, read from the containers that the node serves. `seed` is the seed of the network, which
 * determines the first coins, because these are in no container. `codec` is the codec of the chain in X/block, which may be
 * another chain of the asset VM. All states share their lists, which only grow.
 */
export function createPrimaryLedger(
  network: Pick<GrowingNetwork, 'stores'>,
  seed: number,
  codec: XCodec = xCodec(null),
): PrimaryLedger {
  const addresses = createAddressIndex()
  const book = createBook(genesisTime, (utxo, tx) => addresses.addTx(tx, utxo.owner.addresses))
  const journal: Journal = {
    book,
    p: [],
    x: [],
    c: [],
    rewards: [],
    vertices: [],
    proposed: [],
    byValidation: new Map(),
    stakings: new Map(),
    stakes: new Set(),
    l1Validators: new Map(),
    permissioned: new Map(),
    permissions: new Map(),
    supplies: new Map(),
    times: { P: genesisTime, X: genesisTime },
    tally: createTally({ ...pTables, ...xTables, ...cTables }),
  }
  let containers = 0
  const followers: Partial<Record<IndexPath, Follower>> = {
    'P/block': createPFollower(journal, emitGenesis(book, seed)),
    'X/vtx': createVertexFollower(journal),
    'X/block': createXFollower(journal, codec),
    'C/block': createCFollower(journal),
  }
  const read = new Map<string, number>()
  const indexed = { utxos: 0, p: 0, x: 0, c: 0 }
  const extend = async (): Promise<void> => {
    const heads = Object.entries(followers).map(([path, follower]) => {
      const store = network.stores[path as IndexPath]
      return { path, follower, store, head: store.count() }
    })
    for (const { path, follower, store, head } of heads) {
      await readContainers(store, read.get(path) ?? 0, head, follower.add)
      containers += head - (read.get(path) ?? 0)
      read.set(path, head)
    }
    book.link()
    indexNew(journal, addresses, indexed)
  }
  let last: Promise<void> = Promise.resolve()
  return {
    state: async () => {
      last = last.then(extend)
      await last
      return { ...journal, addresses, containers }
    },
  }
}

/** Indexes what was added since the last call. */
function indexNew(
  journal: Journal,
  index: AddressIndex,
  done: { utxos: number; p: number; x: number; c: number },
): void {
  const { utxos } = journal.book
  for (; done.utxos < utxos.length; done.utxos += 1) index.addUtxo(utxos[done.utxos]!)
  for (const chain of ['p', 'x', 'c'] as const) {
    const txs = journal[chain]
    for (; done[chain] < txs.length; done[chain] += 1) {
      indexTx(index, txs[done[chain]]!)
    }
  }
}

function indexTx(index: AddressIndex, tx: LedgerTx): void {
  for (const { owner } of tx.emitted) index.addTx(tx, owner.addresses)
  if (tx.chain === 'C') for (const { address } of tx.evm) index.addTx(tx, [address])
  if (tx.chain === 'P') index.addTx(tx, tx.details.rewardAddresses ?? [])
}

/**
 * Emits the first coins of every holder of the seed on the P-Chain and the X-Chain, which no container contains. Returns the sum of the
 * native asset in nAVAX.
 */
function emitGenesis(book: Book, seed: number): bigint {
  const p = createPState(createNetworkState(seed))
  const x = createXState(createNetworkState(seed))
  return emitCoins(book, p.wallets, 'P') + emitCoins(book, x.wallets, 'X')
}

function emitCoins(book: Book, wallets: readonly Wallet[], createdOn: ChainAlias): bigint {
  const created = { height: 0, blockId: idText(zeroId), time: genesisTime }
  const coins = wallets.flatMap(({ coins, locked }) => [...coins, ...locked])
  for (const { txId, index, amount, wallet, locktime, stakeableLocktime: until } of coins)
    book.emit({
      txId: idText(txId),
      index,
      asset: nativeAssetText,
      amount,
      owner: book.ownerOf({ ...wallet, locktime: BigInt(locktime) }),
      stakeableLocktime: until === 0 ? null : BigInt(until),
      origin: 'genesis',
      createdOn,
      created,
    })
  return sumOf(coins)
}
