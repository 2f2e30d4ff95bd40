import { chainIds } from '../../network/genesis.ts'
import type { ChainAlias } from '../../network/state.ts'
import {
  type Coin,
  type CoinDraft,
  plainDraft,
  plainInputOf,
  plainOutputOf,
  someAmount,
  someImport,
  someWallet,
  takeAt,
  unfunded,
} from '../../network/wallets.ts'
import type { XFunded, XKind } from '../funding.ts'
import { type BuiltXTx, builtX, fundX, xCredentialOf } from '../funding.ts'
import type { XState } from '../state.ts'

const baseTx: XKind = {
  type: 'BaseTx',
  since: 'apricot',
  weight: 30,
  build: (state) => {
    const { random } = state.network
    const pay = Array.from({ length: random.between(1, 3) }, () => somePayment(state))
    const funded = fundX(state, { wallet: someWallet(state), pay })
    if (funded === null) return null
    return builtX(state, funded, { type: 'BaseTx' })
  },
}

function somePayment(state: XState): CoinDraft {
  const { random } = state.network
  const draft = plainDraft(someWallet(state), someAmount(state.network))
  return random.oneIn(20) ? { ...draft, locktime: state.chainTime + random.between(60, 20_000) } : draft
}

/** Sends a part of a coin of an asset other than the native one. */
const assetTransferTx: XKind = {
  type: 'BaseTx of an asset',
  since: 'apricot',
  weight: 8,
  build: (state) => {
    const found = takeForeign(state)
    if (found === null) return null
    const { coin, part } = found
    const paid = plainDraft(someWallet(state), part, coin.asset)
    const funded = fundX(state, { wallet: coin.wallet, also: [coin], rest: [paid, ...restOf(coin, part)] })
    if (funded === null) return giveBack(coin)
    return builtX(state, funded, { type: 'BaseTx' })
  },
}

function giveBack(coin: Coin): null {
  coin.wallet.foreign.push(coin)
  return null
}

/** Takes a coin of an asset other than the native one, and a part of its amount; null if there is none. */
function takeForeign(state: XState): { coin: Coin; part: bigint } | null {
  const { random } = state.network
  const { foreign } = someWallet(state)
  if (foreign.length === 0) return null
  const coin = takeAt(foreign, random.below(foreign.length))
  return { coin, part: (coin.amount * BigInt(random.between(1, 8)) + 7n) / 8n }
}

function restOf({ amount, wallet, asset }: Coin, part: bigint): CoinDraft[] {
  return amount > part ? [plainDraft(wallet, amount - part, asset)] : []
}

/** Two thirds of the traffic are with the C-Chain. */
function someChain({ network }: XState): 'P' | 'C' {
  return network.random.oneIn(3) ? 'P' : 'C'
}

const exportTx: XKind = {
  type: 'ExportTx',
  since: 'apricot',
  weight: 16,
  build: (state) => {
    const exported = plainDraft(someWallet(state), someAmount(state.network))
    const funded = fundX(state, { wallet: someWallet(state), spend: exported.amount })
    return funded === null ? null : exporting(state, funded, exported, someChain(state))
  },
}

function exporting(state: XState, funded: XFunded, exported: CoinDraft, destination: ChainAlias): BuiltXTx {
  const { asset, amount, wallet: holder } = exported
  const own = { type: 'ExportTx' as const, destinationChain: chainIds[destination] }
  return builtX(state, funded, { ...own, exportedOutputs: [plainOutputOf(exported)] }, (txId) => {
    state.network.memory.put('X', destination, { txId, index: funded.drafts.length, asset, amount, holder })
  })
}

/** Other assets are exported to the C-Chain before Banff, and to the P-Chain as long as subnets are transformed there. */
function assetExportTx(destination: 'P' | 'C', weight: number, times: Pick<XKind, 'since' | 'until'>): XKind {
  return {
    type: `ExportTx of an asset to ${destination}`,
    weight,
    ...times,
    build: (state) => {
      const found = takeForeign(state)
      if (found === null) return null
      const { coin, part } = found
      const exported = plainDraft(someWallet(state), part, coin.asset)
      const funded = fundX(state, { wallet: coin.wallet, also: [coin], rest: restOf(coin, part) })
      return funded === null ? giveBack(coin) : exporting(state, funded, exported, destination)
    },
  }
}

const importTx: XKind = {
  type: 'ImportTx',
  since: 'apricot',
  weight: 20,
  build: (state) => {
    const source = someChain(state)
    const found = someImport(state, source, 'X', (wallet) => {
      return wallet === null ? unfunded(state, state.chain.id) : fundX(state, { wallet })
    })
    if (found === null) return null
    const { own, wallet, imported, drafts } = found
    const credentials = [...own.credentials, ...imported.map(() => xCredentialOf(state, wallet))]
    return builtX(
      state,
      { base: { ...own.base, outputs: drafts.map(plainOutputOf) }, credentials, drafts },
      { type: 'ImportTx', sourceChain: chainIds[source], importedInputs: imported.map(plainInputOf) },
    )
  },
}

export const transferKinds: readonly XKind[] = [
  baseTx,
  assetTransferTx,
  exportTx,
  assetExportTx('C', 4, { since: 'apricot', until: 'banff' }),
  assetExportTx('P', 10, { since: 'banff', until: 'etna' }),
  importTx,
]
