import type { CachedChain } from '../../chains/cache-format.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import type { ContainerStore } from '../../index/store.ts'
import { hrp, nativeAssetText } from '../../network/genesis.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import type { OtherChain } from '../../x/chain/other-chains.ts'
import { blockMethods } from '../blocks/block-methods.ts'
import type { BlocksView } from '../blocks/view.ts'
import { pBlockJson } from '../json/block-json.ts'
import { utxoMethods } from '../utxos/utxo-methods.ts'
import { balanceMethods } from './balance.ts'
import { blockchainMethods } from './blockchains.ts'
import { chainTime, feeMethods } from './fees.ts'
import { rewardUtxoMethods } from './reward-utxos.ts'
import { subnetMethods } from './subnets.ts'
import { supplyMethods } from './supply.ts'
import { pTransactionMethods } from './transactions.ts'
import { validatorMethods } from './validators.ts'

type PlatformFacts = {
  readonly blocks: BlocksView
  readonly store: ContainerStore
  readonly chains: () => readonly CachedChain[]
  readonly ledger: PrimaryLedger
  /** Chains of the asset VM other than the X-Chain. */
  readonly others: readonly OtherChain[]
}

/** The methods of `/ext/bc/P` (specification 4.3), without the name of their service. */
export function platformMethods({
  blocks,
  store,
  chains,
  ledger,
  others,
}: PlatformFacts): Readonly<Record<string, RpcMethod>> {
  return {
    ...blockMethods(blocks, (bytes) => pBlockJson(bytes, hrp)),
    ...pTransactionMethods(store, others),
    ...blockchainMethods(chains, others),
    ...validatorMethods(ledger, store),
    ...subnetMethods(ledger),
    ...feeMethods(ledger),
    ...utxoMethods(ledger, 'P'),
    ...balanceMethods(ledger),
    ...rewardUtxoMethods(ledger),
    ...supplyMethods(ledger, store),
    getProposedHeight: () => [`{"height":"${store.count()}"}`],
    getTimestamp: async () => {
      return [`{"timestamp":"${chainTime(await ledger.state())}"}`]
    },
    getStakingAssetID: () => [`{"assetID":"${nativeAssetText}"}`],
  }
}
