import { nativeAsset, networkId, since } from './genesis.ts'
import type { TimeQueue } from './heap.ts'
import type { ChainAlias, Holder, NetworkState } from './state.ts'

/** An unspent output that a wallet can sign for. */
export type Coin = {
  readonly txId: Uint8Array
  readonly index: number
  readonly asset: Uint8Array
  readonly amount: bigint
  readonly wallet: Wallet
  /** Unix seconds before which the owner cannot sign; 0 means no lock. */
  readonly locktime: number
  /** Unix seconds before which the coin can only be staked, on the P-Chain; 0 means a plain coin. */
  readonly stakeableLocktime: number
}

/** A coin without the id and index that it gets from its transaction. */
export type CoinDraft = Omit<Coin, 'txId' | 'index'>

/** The coins of a holder on one chain. */
export type Wallet = Holder & {
  /** Plain coins of the native asset. */
  readonly coins: Coin[]
  /** Stakeable locked coins of the native asset. */
  readonly locked: Coin[]
  /** Coins of other assets. */
  readonly foreign: Coin[]
}

export function createWallet(holder: Holder): Wallet {
  return { ...holder, coins: [], locked: [], foreign: [] }
}

/** Indexes of the addresses that sign: the first ones, as many as the threshold requires. */
export function signersOf({ threshold }: Holder): number[] {
  return Array.from({ length: threshold }, (_, index) => index)
}

/** A holder as the owner of an output. */
export function ownerFields({ threshold, addresses }: Holder, locktime = 0) {
  return { locktime: BigInt(locktime), threshold, addresses }
}

/** The output of a draft, without a stakeable lock. */
export function plainOutputOf(draft: CoinDraft) {
  const output = {
    type: 'secp256k1fx.TransferOutput' as const,
    amount: draft.amount,
    ...ownerFields(draft.wallet, draft.locktime),
  }
  return { assetID: draft.asset, output }
}

type Spent = Pick<Coin, 'txId' | 'index' | 'asset' | 'amount'> & { readonly wallet: Holder }

/** The input that spends a coin, without a stakeable lock. */
export function plainInputOf({ txId, index, asset, amount, wallet }: Spent) {
  const input = { type: 'secp256k1fx.TransferInput' as const, amount, signatureIndices: signersOf(wallet) }
  return { txID: txId, outputIndex: index, assetID: asset, input }
}

/** The order of inputs that a node requires: by transaction, then by index. */
export function compareCoins(a: Pick<Coin, 'txId' | 'index'>, b: Pick<Coin, 'txId' | 'index'>): number {
  return Buffer.compare(a.txId, b.txId) || a.index - b.index
}

/** The order of outputs: by asset, then plain ones before locked ones, then by amount. */
function compareDrafts(a: CoinDraft, b: CoinDraft): number {
  const byAsset = a.asset === b.asset ? 0 : Buffer.compare(a.asset, b.asset)
  if (byAsset !== 0) return byAsset
  if (a.stakeableLocktime !== b.stakeableLocktime) return a.stakeableLocktime - b.stakeableLocktime
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0
}

export function sumOf(coins: readonly { readonly amount: bigint }[]): bigint {
  return coins.reduce((sum, { amount }) => sum + amount, 0n)
}

/** The common state of the P-Chain and the X-Chain: coins in wallets. */
export type UtxoState = {
  readonly network: NetworkState
  /** The wallets of the network's holders on this chain, in the same order. */
  readonly wallets: readonly Wallet[]
  /** Coins that their owners cannot sign for yet, ordered by unlock time. */
  readonly maturing: TimeQueue<Coin>
  /** The chain's time in Unix seconds. */
  chainTime: number
}

export function someWallet({ network, wallets }: UtxoState): Wallet {
  return network.random.pick(wallets)
}

/** An amount of the native asset in nAVAX, usually small: between 0.1 and about 10,000 AVAX. */
export function someAmount({ random }: NetworkState): bigint {
  const scale = 10n ** BigInt(random.between(8, 12))
  return scale + BigInt(random.below(9_000)) * (scale / 1000n)
}

export type Funding = {
  readonly wallet: Wallet
  /** Amount of the native asset (nAVAX) for other purposes than ordinary outputs: stake, exports, balances. */
  readonly spend?: bigint
  /** Ordinary outputs of the native asset for other wallets. */
  readonly pay?: readonly CoinDraft[]
  /** Coins of other kinds that are also spent, and the outputs that remain of them. */
  readonly also?: readonly Coin[]
  readonly rest?: readonly CoinDraft[]
}

/** The inputs and outputs of a transaction, in their order there. */
type Spending = {
  readonly coins: readonly Coin[]
  /** The coins that the ordinary outputs become, by index. */
  readonly drafts: readonly CoinDraft[]
}

const baseFee = 1_000_000n

/** A wallet with more coins than this merges some of them whenever it spends. */
const manyCoins = 16

/** Takes coins of a wallet for a transaction and creates its change; null if the wallet has not enough coins. */
export function spendCoins(
  state: UtxoState,
  { wallet, spend = 0n, pay = [], also = [], rest = [] }: Funding,
): Spending | null {
  const need = feeOf(state.network) + spend + sumOf(pay)
  const taken = takeCoins(state, wallet, need)
  if (taken === null) return null
  const change = sumOf(taken) - need
  const drafts = [...pay, ...rest]
  if (change > 0n) drafts.push(plainDraft(wallet, change))
  drafts.sort(compareDrafts)
  return { coins: [...taken, ...also].sort(compareCoins), drafts }
}

/** The fee that a transaction burns, in nAVAX: a thousandth of an AVAX, and up to 50 % more. */
export function feeOf({ random }: NetworkState): bigint {
  return baseFee + BigInt(random.below(500_000))
}

export function plainDraft(wallet: Wallet, amount: bigint, asset: Uint8Array = nativeAsset): CoinDraft {
  return { wallet, amount, asset, locktime: 0, stakeableLocktime: 0 }
}

/** Signatures of a holder. They only have the right length. */
export function signaturesOf({ noise }: NetworkState, { addresses, threshold }: Holder): Uint8Array[] {
  return addresses.slice(0, threshold).map(() => noise(65))
}

const noMemo = new Uint8Array()

/** Most transactions have no memo. Since Durango, memos are not allowed. */
export function memoOf({ era, random }: NetworkState): Uint8Array {
  if (since(era, 'durango') || !random.oneIn(6)) return noMemo
  return new TextEncoder().encode(`memo ${random.below(100_000)}`)
}

function takeCoins({ network, chainTime }: UtxoState, wallet: Wallet, need: bigint): Coin[] | null {
  const { random } = network
  const taken: Coin[] = []
  let sum = 0n
  const extra = wallet.coins.length > manyCoins ? random.between(2, 4) : 0
  const unlocked = wallet.locked.findIndex(({ stakeableLocktime }) => stakeableLocktime <= chainTime)
  if (unlocked >= 0) wallet.coins.push(takeAt(wallet.locked, unlocked))
  while ((sum < need || taken.length < extra) && wallet.coins.length > 0) {
    const coin = takeAt(wallet.coins, random.below(wallet.coins.length))
    taken.push(coin)
    sum += coin.amount
  }
  if (sum >= need) return taken
  wallet.coins.push(...taken)
  return null
}

/** Removes an item from an unordered list. */
export function takeAt<T>(items: T[], at: number): T {
  const item = items[at]!
  const last = items.pop()!
  if (at < items.length) items[at] = last
  return item
}

/** Adds an item to an unordered list. If the list is full, another item is dropped: nothing uses it any more. */
export function keepAtMost<T>(most: number, { random }: NetworkState, items: T[], item: T): void {
  if (items.length >= most) takeAt(items, random.below(most))
  items.push(item)
}

/** Removes an item from an unordered list, if the list has it. */
export function forget<T>(items: T[], item: T): void {
  const at = items.indexOf(item)
  if (at >= 0) takeAt(items, at)
}

/** Turns the outputs of an accepted transaction into coins, with indexes from `firstIndex` on. */
export function produce(state: UtxoState, txId: Uint8Array, drafts: readonly CoinDraft[], firstIndex = 0): void {
  drafts.forEach((draft, position) => {
    addCoin(state, { ...draft, txId, index: firstIndex + position })
  })
}

/** The base of a transaction, and what its wallets add. */
export type FundedBase<Base, Credential> = {
  readonly base: Base
  readonly credentials: readonly Credential[]
  /** The coins that the ordinary outputs become, by index. */
  readonly drafts: readonly CoinDraft[]
}

/** The base of a transaction without inputs and outputs. Its fee is paid in another way. */
export function unfunded({ network }: UtxoState, blockchainID: Uint8Array) {
  const base = { networkID: networkId, blockchainID, outputs: [], inputs: [], memo: memoOf(network) }
  return { base, credentials: [], drafts: [] }
}

/** The fields of each type of transaction other than those of its base. */
type OwnFields<Tx, Base> = Tx extends unknown ? Omit<Tx, keyof Base> : never

/**
 * Returns the function that makes the transactions of a chain which wallets pay for. When such a transaction is accepted, its ordinary outputs
 * become coins; `then` applies the rest to the state.
 */
export function builderOf<Tx, Base, Credential>() {
  return (
    state: UtxoState,
    { base, credentials, drafts }: FundedBase<Base, Credential>,
    own: OwnFields<Tx, Base>,
    then: (txId: Uint8Array) => void = () => {},
  ) => {
    const accept = (txId: Uint8Array): void => {
      produce(state, txId, drafts)
      then(txId)
    }
    return { unsignedTx: { ...base, ...own } as Tx, credentials, accept }
  }
}

export function addCoin(state: UtxoState, coin: Coin): void {
  const { wallet } = coin
  if (coin.locktime > state.chainTime) state.maturing.push(coin.locktime, coin)
  else if (coin.asset !== nativeAsset) wallet.foreign.push(coin)
  else if (coin.stakeableLocktime > state.chainTime) wallet.locked.push(coin)
  else wallet.coins.push(coin)
}

/** Makes coins spendable that have reached their unlock time. */
export function matureCoins(state: UtxoState): void {
  while (state.maturing.firstTime() <= state.chainTime) addCoin(state, state.maturing.pop()!)
}

/**
 * Some outputs that a chain has exported for one wallet, and the coins that their import creates. Most imports pay their fee from the
 * imported coins, some from coins that the wallet already has on the chain: `fund` gets null or that wallet. Null if nothing can be imported.
 */
export function someImport<Funded extends { readonly drafts: readonly CoinDraft[] }>(
  { network, wallets }: UtxoState,
  source: ChainAlias,
  to: ChainAlias,
  fund: (wallet: Wallet | null) => Funded | null,
) {
  const { memory, random } = network
  const found = memory.take(source, to, { first: random.below(wallets.length), most: random.between(1, 4) })
  if (found.length === 0) return null
  const wallet = wallets[found[0]!.holder.position]!
  const native = sumOf(found.filter(({ asset }) => asset === nativeAsset))
  const fee = feeOf(network)
  const pays = native <= fee || random.oneIn(3)
  const own = fund(pays ? wallet : null)
  if (own === null) {
    for (const exported of found) memory.put(source, to, exported)
    return null
  }
  const imported = found.sort(compareCoins).map((exported) => ({ ...exported, wallet }))
  const others = imported.filter(({ asset }) => asset !== nativeAsset)
  const brought = others.map(({ amount, asset }) => plainDraft(wallet, amount, asset))
  if (native > 0n) brought.push(plainDraft(wallet, native - (pays ? 0n : fee)))
  return { own, wallet, imported, drafts: [...own.drafts, ...brought].sort(compareDrafts) }
}
