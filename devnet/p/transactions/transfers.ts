import { chainIds, zeroId } from '../../network/genesis.ts'
import {
  type CoinDraft,
  plainDraft,
  plainInputOf,
  plainOutputOf,
  someAmount,
  someImport,
  someWallet,
  unfunded,
} from '../../network/wallets.ts'
import type { TxKind } from '../funding.ts'
import { built, credentialOf, fund, outputOf } from '../funding.ts'
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
    return built(state, funded, { type: 'BaseTx' })
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
    const own = { type: 'ExportTx' as const, destinationChain: chainIds[destination] }
    return built(state, funded, { ...own, exportedOutputs: [plainOutputOf(exported)] }, (txId) => {
      memory.put('P', destination, { txId, index: funded.drafts.length, asset, amount, holder })
    })
  },
}

const importTx: TxKind = {
  type: 'ImportTx',
  since: 'apricot',
  weight: 18,
  build: (state) => {
    const source = someChain(state)
    const found = someImport(state, source, 'P', (wallet) => {
      return wallet === null ? unfunded(state, zeroId) : fund(state, { wallet })
    })
    if (found === null) return null
    const { own, wallet, imported, drafts } = found
    const credentials = [...own.credentials, ...imported.map(() => credentialOf(state, wallet))]
    return built(
      state,
      { base: { ...own.base, outputs: drafts.map(outputOf) }, credentials, drafts },
      { type: 'ImportTx', sourceChain: chainIds[source], importedInputs: imported.map(plainInputOf) },
    )
  },
}

/** Two thirds of the traffic are with the C-Chain. */
function someChain({ network }: PState): 'X' | 'C' {
  return network.random.oneIn(3) ? 'X' : 'C'
}

export const transferKinds: readonly TxKind[] = [baseTx, exportTx, importTx]
