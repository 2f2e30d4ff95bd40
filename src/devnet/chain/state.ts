import type { Coin, Wallet } from './coins.ts'
import { type Era, eras, genesisTime } from './eras.ts'
import { nativeAsset, zeroId } from './genesis.ts'
import { createTimeQueue, type TimeQueue } from './heap.ts'
import { createNoise, type Noise } from './noise.ts'
import { createRandom, type Random } from './random.ts'
import type { CreatedChain, L1Validator, Stake, Subnet } from './registry.ts'

/** Everything that the next block depends on. */
export type ChainState = {
  readonly random: Random
  readonly noise: Noise
  readonly wallets: readonly Wallet[]
  /** Coins that their owners cannot sign for yet, by the time when they can. */
  readonly maturing: TimeQueue<Coin>
  /** Stakes by the time when they end. */
  readonly stakes: TimeQueue<Stake>
  /** Validators that can be delegated to, in no order. */
  readonly validators: Stake[]
  readonly subnets: Subnet[]
  readonly l1Validators: L1Validator[]
  /** Auto-renewed validators whose configuration may change. */
  readonly renewed: Stake[]
  /** Every blockchain that has been created so far. */
  readonly chains: CreatedChain[]
  era: Era
  /** Wall clock and chain time in Unix seconds; they are one from Banff on. */
  clock: number
  chainTime: number
  /** Height of the last block. */
  height: number
}

const walletCount = 48
const coinsPerWallet = 4
/** A million of the native asset, in its smallest unit. */
const genesisAmount = 1_000_000_000_000_000n

export function createState(seed: number): ChainState {
  const random = createRandom(seed)
  const wallets = Array.from({ length: walletCount }, (_, at) => createWallet(random, at))
  wallets.forEach((wallet, at) => {
    giveGenesisCoins(wallet, at)
  })
  return {
    random,
    noise: createNoise(random),
    wallets,
    maturing: createTimeQueue(),
    stakes: createTimeQueue(),
    validators: [],
    subnets: [],
    l1Validators: [],
    renewed: [],
    chains: [],
    era: eras[0]!,
    clock: genesisTime,
    chainTime: genesisTime,
    height: 0,
  }
}

/** Every sixth wallet needs two of three signatures. */
function createWallet(random: Random, at: number): Wallet {
  const [addressCount, threshold] = at % 6 === 5 ? [3, 2] : [1, 1]
  const addresses = Array.from({ length: addressCount }, () => random.bytes(20)).sort(Buffer.compare)
  return { threshold, addresses, coins: [], locked: [], foreign: [] }
}

/** Every wallet begins with plain coins, every third one with a stakeable lock that ends on one of the first days. */
function giveGenesisCoins(wallet: Wallet, at: number): void {
  const first = at * (coinsPerWallet + 1)
  const plain = { txId: zeroId, asset: nativeAsset, amount: genesisAmount, wallet, locktime: 0 }
  for (let k = 0; k < coinsPerWallet; k += 1) wallet.coins.push({ ...plain, index: first + k, stakeableLocktime: 0 })
  if (at % 3 !== 0) return
  const stakeableLocktime = genesisTime + (at + 1) * 6 * 3600
  wallet.locked.push({ ...plain, index: first + coinsPerWallet, stakeableLocktime })
}
