import { idText } from '../../../../codec/ids.ts'
import { genesisTime } from '../../../network/eras.ts'
import { nativeAssetText, zeroId } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import { createNetworkState } from '../../../network/state.ts'
import { createPState } from '../../../p/state.ts'
import type { Coin, Wallet } from '../../../utxo/coins.ts'
import { createXState } from '../../../x/state.ts'
import type { Book } from './book.ts'
import type { Place } from './model.ts'

/**
 * Emits the first coins of every holder of the seed on the P-Chain and the X-Chain, which no container contains. Returns the sum of the
 * native asset in nAVAX.
 */
export function emitGenesis(book: Book, seed: number): bigint {
  const p = createPState(createNetworkState(seed))
  const x = createXState(createNetworkState(seed))
  const coins = [
    ...p.wallets.flatMap((wallet) => coinsOf(wallet, 'P')),
    ...x.wallets.flatMap((wallet) => coinsOf(wallet, 'X')),
  ]
  for (const { coin, chain } of coins) emitCoin(book, coin, chain)
  return coins.reduce((sum, { coin }) => sum + coin.amount, 0n)
}

function coinsOf({ coins, locked }: Wallet, chain: ChainAlias): { coin: Coin; chain: ChainAlias }[] {
  return [...coins, ...locked].map((coin) => ({ coin, chain }))
}

function emitCoin(book: Book, coin: Coin, chain: ChainAlias): void {
  const { threshold, addresses } = coin.wallet
  book.emit(
    {
      txId: idText(coin.txId),
      index: coin.index,
      asset: nativeAssetText,
      amount: coin.amount,
      kind: 'transfer',
      groupId: null,
      payload: null,
      owner: book.ownerOf({ threshold, addresses, locktime: BigInt(coin.locktime) }),
      stakeableLocktime: coin.stakeableLocktime === 0 ? null : BigInt(coin.stakeableLocktime),
      origin: 'genesis',
      createdOn: chain,
      livesOn: chain,
      created: genesisPlace(genesisTime),
      rewardType: null,
      stake: null,
    },
    coin.txId,
  )
}

/** The place of genesis outputs, at height 0. */
function genesisPlace(time: number): Place {
  return { height: 0, blockId: idText(zeroId), time }
}
