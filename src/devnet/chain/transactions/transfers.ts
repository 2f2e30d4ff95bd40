import { type Coin, type CoinDraft, compareCoins, compareDrafts, inputOf, outputOf } from '../coins.ts'
import { since } from '../eras.ts'
import { credentialOf, feeOf, fund, fundless, plainDraft, produce } from '../funding.ts'
import { cChainId, nativeAsset, xChainId } from '../genesis.ts'
import type { ChainState } from '../state.ts'
import { someAmount, someWallet, type TxKind } from './kind.ts'

/** Plain transfers: since Durango. Some lock what they pay for some hours, or for staking only. */
const baseTx: TxKind = {
  type: 'BaseTx',
  since: 'durango',
  weight: 30,
  build: (state) => {
    const pay = Array.from({ length: state.random.oneIn(4) ? 2 : 1 }, () => somePayment(state))
    const funded = fund(state, { wallet: someWallet(state), pay })
    if (funded === null) return null
    return {
      unsignedTx: { type: 'BaseTx', ...funded.base },
      credentials: funded.credentials,
      accept: (txId) => produce(state, txId, funded.drafts),
    }
  },
}

function somePayment(state: ChainState): CoinDraft {
  const draft = plainDraft(someWallet(state), someAmount(state))
  if (state.random.oneIn(12)) return { ...draft, locktime: state.chainTime + state.random.between(60, 20_000) }
  const held = draft.wallet.locked.length
  if (held < 3 && state.random.oneIn(8)) {
    const amount = draft.amount + 2_000_000_000_000n
    return { ...draft, amount, stakeableLocktime: state.chainTime + state.random.between(3600, 200_000) }
  }
  return draft
}

const exportTx: TxKind = {
  type: 'ExportTx',
  since: 'apricot',
  weight: 18,
  build: (state) => {
    const exported = plainDraft(someWallet(state), someAmount(state))
    const destinationChain = state.random.oneIn(3) ? xChainId : cChainId
    const funded = fund(state, { wallet: someWallet(state), spend: exported.amount })
    if (funded === null) return null
    return {
      unsignedTx: { type: 'ExportTx', ...funded.base, destinationChain, exportedOutputs: [outputOf(exported)] },
      credentials: funded.credentials,
      accept: (txId) => produce(state, txId, funded.drafts),
    }
  },
}

/** Most imports pay their fee out of what they bring, some out of coins that are here already. */
const importTx: TxKind = {
  type: 'ImportTx',
  since: 'apricot',
  weight: 18,
  build: (state) => {
    const wallet = someWallet(state)
    const sourceChain = state.random.oneIn(3) ? xChainId : cChainId
    const imported = arrivals(state, wallet).sort(compareCoins)
    const own = state.random.oneIn(3) ? fund(state, { wallet }) : fundless(state)
    if (own === null) return null
    const drafts = [...own.drafts, ...brought(imported, wallet, own.base.inputs.length === 0 ? feeOf(state) : 0n)]
    drafts.sort(compareDrafts)
    return {
      unsignedTx: {
        type: 'ImportTx',
        ...own.base,
        outputs: drafts.map(outputOf),
        sourceChain,
        importedInputs: imported.map((coin) => inputOf(coin, state.chainTime)),
      },
      credentials: [...own.credentials, ...imported.map((coin) => credentialOf(state, coin.wallet))],
      accept: (txId) => produce(state, txId, drafts),
    }
  },
}

/** One output for each asset that comes in, less the fee. */
function brought(imported: readonly Coin[], wallet: Coin['wallet'], fee: bigint): CoinDraft[] {
  const native = imported.filter(({ asset }) => asset === nativeAsset)
  const sum = native.reduce((total, { amount }) => total + amount, 0n)
  const others = imported.filter(({ asset }) => asset !== nativeAsset)
  return [plainDraft(wallet, sum - fee), ...others.map(({ amount, asset }) => plainDraft(wallet, amount, asset))]
}

/**
 * What another chain has exported to a wallet here. Their transactions are made up as long as only the P chain is
 * simulated; the exports of the X and C chains come in here. Now and then another asset comes with them, to be staked.
 */
function arrivals(state: ChainState, wallet: Coin['wallet']): Coin[] {
  const place = { wallet, locktime: 0, stakeableLocktime: 0 }
  const amount = someAmount(state)
  const coins: Coin[] = Array.from({ length: state.random.between(1, 2) }, (_, index) => {
    return { ...place, txId: state.random.bytes(32), index, asset: nativeAsset, amount: amount + BigInt(index) }
  })
  const wanted = since(state.era, 'banff') && !since(state.era, 'etna')
  if (!wanted || wallet.foreign.length > 0 || !state.random.oneIn(2)) return coins
  const supply = 1_000_000_000_000n * BigInt(state.random.between(500, 900))
  return [...coins, { ...place, txId: state.random.bytes(32), index: 0, asset: state.random.bytes(32), amount: supply }]
}

export const transferKinds: readonly TxKind[] = [baseTx, exportTx, importTx]
