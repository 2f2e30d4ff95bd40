import { chainIds, nativeAsset } from '../../network/genesis.ts'
import type { Exported } from '../../network/state.ts'
import {
  type CoinDraft,
  compareCoins,
  compareDrafts,
  feeOf,
  plainDraft,
  plainInputOf,
  plainOutputOf,
  produce,
  someAmount,
  someWallet,
  sumOf,
  type Wallet,
} from '../../network/wallets.ts'
import type { TxKind } from '../funding.ts'
import { credentialOf, fund, fundless, outputOf } from '../funding.ts'
import type { PState } from '../state.ts'

/** Plain transfers, since Durango. Some lock their payment for some hours, or for staking only. */
const baseTx: TxKind = {
  type: 'BaseTx',
  since: 'durango',
  weight: 30,
  build: (state) => {
    const pay = Array.from({ length: state.network.random.oneIn(4) ? 2 : 1 }, () => somePayment(state))
    const funded = fund(state, { wallet: someWallet(state), pay })
    if (funded === null) return null
    return {
      unsignedTx: { type: 'BaseTx', ...funded.base },
      credentials: funded.credentials,
      accept: (txId) => produce(state, txId, funded.drafts),
    }
  },
}

function somePayment(state: PState): CoinDraft {
  const { random } = state.network
  const draft = plainDraft(someWallet(state), someAmount(state.network))
  if (random.oneIn(12)) return { ...draft, locktime: state.chainTime + random.between(60, 20_000) }
  const held = draft.wallet.locked.length
  if (held < 3 && random.oneIn(8)) {
    const amount = draft.amount + 2_000_000_000_000n
    return { ...draft, amount, stakeableLocktime: state.chainTime + random.between(3600, 200_000) }
  }
  return draft
}

const exportTx: TxKind = {
  type: 'ExportTx',
  since: 'apricot',
  weight: 18,
  build: (state) => {
    const { memory } = state.network
    const exported = plainDraft(someWallet(state), someAmount(state.network))
    const destination = someChain(state)
    const funded = fund(state, { wallet: someWallet(state), spend: exported.amount })
    if (funded === null) return null
    const { asset, amount, wallet: holder } = exported
    return {
      unsignedTx: {
        type: 'ExportTx',
        ...funded.base,
        destinationChain: chainIds[destination],
        exportedOutputs: [plainOutputOf(exported)],
      },
      credentials: funded.credentials,
      accept: (txId) => {
        produce(state, txId, funded.drafts)
        memory.put('P', destination, { txId, index: funded.drafts.length, asset, amount, holder })
      },
    }
  },
}

/** Most imports pay their fee from the imported coins, some from coins that are already on the chain. */
const importTx: TxKind = {
  type: 'ImportTx',
  since: 'apricot',
  weight: 18,
  build: (state) => {
    const { memory, random } = state.network
    const source = someChain(state)
    const imported = memory.take(source, 'P', { first: random.below(state.wallets.length), most: random.between(1, 4) })
    if (imported.length === 0) return null
    const wallet = state.wallets[imported[0]!.holder.position]!
    const fee = feeOf(state.network)
    const pays = nativeSum(imported) <= fee || random.oneIn(3)
    const own = pays ? fund(state, { wallet }) : fundless(state)
    if (own === null) {
      for (const exported of imported) memory.put(source, 'P', exported)
      return null
    }
    imported.sort(compareCoins)
    const drafts = [...own.drafts, ...brought(imported, wallet, pays ? 0n : fee)].sort(compareDrafts)
    return {
      unsignedTx: {
        type: 'ImportTx',
        ...own.base,
        outputs: drafts.map(outputOf),
        sourceChain: chainIds[source],
        importedInputs: imported.map((exported) => plainInputOf({ ...exported, wallet })),
      },
      credentials: [...own.credentials, ...imported.map(() => credentialOf(state, wallet))],
      accept: (txId) => produce(state, txId, drafts),
    }
  },
}

/** Two thirds of the traffic are with the C-Chain. */
function someChain({ network }: PState): 'X' | 'C' {
  return network.random.oneIn(3) ? 'X' : 'C'
}

function nativeSum(imported: readonly Exported[]): bigint {
  return sumOf(imported.filter(({ asset }) => asset === nativeAsset))
}

/** One output for each imported asset. The fee is subtracted from the native asset. */
function brought(imported: readonly Exported[], wallet: Wallet, fee: bigint): CoinDraft[] {
  const native = nativeSum(imported)
  const others = imported.filter(({ asset }) => asset !== nativeAsset)
  const drafts = others.map(({ amount, asset }) => plainDraft(wallet, amount, asset))
  return native > 0n ? [plainDraft(wallet, native - fee), ...drafts] : drafts
}

export const transferKinds: readonly TxKind[] = [baseTx, exportTx, importTx]
