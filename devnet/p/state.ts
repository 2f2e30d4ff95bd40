import { genesisTime } from '../network/eras.ts'
import { nativeAsset, zeroId } from '../network/genesis.ts'
import { createTimeQueue, type TimeQueue } from '../network/heap.ts'
import type { NetworkState } from '../network/state.ts'
import { createWallet, type Wallet } from '../utxo/coins.ts'
import type { UtxoState } from '../utxo/state.ts'
import type { CreatedChain, L1Validator, Stake, Subnet } from './registry.ts'

/** Everything that the next P-Chain block depends on. Since Banff, the chain's time and the wall clock are the same. */
export type PState = UtxoState & {
  /** Stakes by their end time. */
  readonly stakes: TimeQueue<Stake>
  /** Validators that accept delegations, unordered. */
  readonly validators: Stake[]
  readonly subnets: Subnet[]
  readonly l1Validators: L1Validator[]
  /** Auto-renewed validators with a configuration that may change. */
  readonly renewed: Stake[]
  /** Every blockchain that has been created so far. */
  readonly chains: CreatedChain[]
}

const coinsPerWallet = 4
/** One million AVAX, in nAVAX. */
const genesisAmount = 1_000_000_000_000_000n

export function createPState(network: NetworkState): PState {
  const wallets = network.holders.map(createWallet)
  for (const wallet of wallets) giveGenesisCoins(wallet)
  return {
    network,
    wallets,
    maturing: createTimeQueue(),
    chainTime: genesisTime,
    stakes: createTimeQueue(),
    validators: [],
    subnets: [],
    l1Validators: [],
    renewed: [],
    chains: [],
  }
}

/** Gives each wallet plain coins. Every third wallet also gets a stakeable lock that ends within the first days. */
function giveGenesisCoins(wallet: Wallet): void {
  const first = wallet.position * (coinsPerWallet + 1)
  const plain = { txId: zeroId, asset: nativeAsset, amount: genesisAmount, wallet, locktime: 0 }
  for (let k = 0; k < coinsPerWallet; k += 1) wallet.coins.push({ ...plain, index: first + k, stakeableLocktime: 0 })
  if (wallet.position % 3 !== 0) return
  const stakeableLocktime = genesisTime + (wallet.position + 1) * 6 * 3600
  wallet.locked.push({ ...plain, index: first + coinsPerWallet, stakeableLocktime })
}
