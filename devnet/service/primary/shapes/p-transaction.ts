import { chainTexts, nativeAssetText } from '../../../network/genesis.ts'
import type { Amount, L1Change, PTransaction, Utxo } from '../ledger/model.ts'
import { estimatedReward } from '../ledger/p-stakes.ts'
import { type Assets, assetAmounts, coinsOf, differenceOf, sumsOf } from './assets.ts'

/** A transaction of the P-Chain without its UTXOs (specification 2.3). It is the same in both dialects. */
export function pTransactionHead(assets: Assets, tx: PTransaction): object {
  const { place, details, sourceChain, destinationChain } = tx
  const sums = pAmounts(tx)
  return {
    txHash: tx.txId,
    txType: tx.type,
    blockTimestamp: place.time,
    blockNumber: place.height.toString(),
    blockHash: place.blockId,
    ...(tx.memo === '' ? {} : { memo: `0x${tx.memo}` }),
    ...(sourceChain === null ? {} : { sourceChain: chainTexts[sourceChain] }),
    ...(destinationChain === null ? {} : { destinationChain: chainTexts[destinationChain] }),
    value: assetAmounts(assets, sums.value),
    amountBurned: assetAmounts(assets, sums.burned),
    amountStaked: assetAmounts(assets, sums.staked),
    amountL1ValidatorBalanceBurned: assetAmounts(assets, sums.l1Balance),
    ...stakingFields(tx),
    ...(details.subnetId === undefined ? {} : { subnetId: details.subnetId }),
    ...(details.manager === undefined ? {} : { l1ValidatorManagerDetails: details.manager }),
    ...(details.l1Validators === undefined ? {} : { l1ValidatorDetails: details.l1Validators.map(l1Shape) }),
    ...(details.subnetOwner === undefined ? {} : { subnetOwnershipInfo: ownerShape(details.subnetOwner) }),
    ...(details.bls === undefined ? {} : { blsCredentials: details.bls }),
    ...(details.blockchain === undefined ? {} : { blockchainInfo: blockchainShape(details.blockchain) }),
  }
}

type PAmounts = {
  /** Sums of all emitted amounts. */
  readonly value: readonly Amount[]
  /** Amounts that were consumed, and neither emitted nor given to a validator of an L1. */
  readonly burned: readonly Amount[]
  readonly staked: readonly Amount[]
  readonly l1Balance: readonly Amount[]
}

/** Sums of a transaction by asset. */
export function pAmounts({ consumed, emitted, l1Balance }: PTransaction): PAmounts {
  const balance = l1Balance === 0n ? [] : [{ asset: nativeAssetText, amount: l1Balance }]
  const own = emitted.filter(({ origin }) => origin !== 'reward' && origin !== 'refund')
  return {
    value: sumsOf(coinsOf(emitted)),
    burned: differenceOf(consumed, [...own, ...balance]),
    staked: sumsOf(emitted.filter(isStake)),
    l1Balance: balance,
  }
}

function isStake({ origin }: Utxo): boolean {
  return origin === 'stake'
}

function stakingFields({ details, stake, txId }: PTransaction): object {
  const { nodeId, start, end, shares, rewardAddresses, stakingTxId } = details
  const begins = stake !== null && stake.tx.txId === txId
  return {
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(start === undefined ? {} : { startTimestamp: start }),
    ...(end === undefined ? {} : { endTimestamp: end }),
    ...(shares === undefined ? {} : { delegationFeePercent: String(shares / 10_000) }),
    ...(rewardAddresses === undefined ? {} : { rewardAddresses }),
    ...(stakingTxId === undefined ? {} : { stakingTxHash: stakingTxId }),
    ...(begins ? { estimatedReward: estimatedReward(stake).toString() } : {}),
    ...(begins && stake.ended !== null ? { rewardTxHash: stake.ended.txId } : {}),
  }
}

function l1Shape({ publicKey, weight, remainingBalance, balanceChange, ...ids }: L1Change): object {
  return {
    ...ids,
    weight: Number(weight),
    remainingBalance: Number(remainingBalance),
    balanceChange: Number(balanceChange),
    blsCredentials: { publicKey },
  }
}

type Details = Required<PTransaction['details']>

function ownerShape({ locktime, threshold, addresses }: Details['subnetOwner']): object {
  return { locktime: Number(locktime), threshold, addresses }
}

/** The genesis of a blockchain: an object for an EVM chain, otherwise its text. */
function blockchainShape({ name, vmId, genesis }: Details['blockchain']): object {
  return { chainName: name, vmId, genesisData: parsedOr(genesis) }
}

function parsedOr(genesis: string): unknown {
  try {
    return JSON.parse(genesis)
  } catch {
    return genesis
  }
}
