import { createHash } from 'node:crypto'
import { idText } from '../../codec/ids.ts'
import type { CachedChain } from '../chains/index-file.ts'
import {
  bytesOnly,
  encodedBytes,
  encodingOf,
  idOf,
  MethodError,
  type RpcMethod,
  textOf,
  textsOf,
} from '../http/json-rpc.ts'
import type { ContainerStore } from '../index/store.ts'
import { chainTexts, evmVmText, hrp, nativeAssetText, vmTexts, zeroIdText } from '../network/genesis.ts'
import { unspentOf } from '../service/primary/ledger/book.ts'
import type { PrimaryLedger, PrimaryState } from '../service/primary/ledger/ledger.ts'
import type { Utxo } from '../service/primary/ledger/model.ts'
import { type Subnet, subnetsOf } from '../service/primary/routes/subnets.ts'
import { utxoPayload } from '../service/primary/routes/utxos.ts'
import type { OtherChain } from '../x/other-chains.ts'
import { type BlocksView, blockMethods } from './blocks.ts'
import { ownerJson, pBlockJson } from './json.ts'
import { pTransactionMethods } from './transactions.ts'
import { addTo, idMistake, inOrder, readAddress, utxoMethods } from './utxos.ts'
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

type Sums = Map<string, bigint>
type Lock = 'unlocked' | 'lockedStakeable' | 'lockedNotStakeable'

/**
 * The balances of addresses on the P-Chain (nAVAX for the native asset), by their lock at the chain's time. An output that needs several
 * signatures counts in full (specification 4.3).
 */
function balanceMethods(ledger: PrimaryLedger): Readonly<Record<'getBalance', RpcMethod>> {
  return {
    getBalance: async (parameters) => {
      const addresses = inOrder(textsOf(parameters, 'addresses').map((text) => readAddress('P', text)))
      const state = await ledger.state()
      const utxos = new Set(addresses.flatMap(({ text }) => unspentOf(state, 'P', text)))
      return [JSON.stringify(balanceJson([...utxos], state.times.P))]
    },
  }
}

function balanceJson(utxos: readonly Utxo[], time: number): object {
  const balances: Sums = new Map()
  const byLock: Record<Lock, Sums> = {
    unlocked: new Map(),
    lockedStakeable: new Map(),
    lockedNotStakeable: new Map(),
  }
  for (const utxo of utxos) {
    addTo(byLock[lockOf(utxo, BigInt(time))], utxo.asset, utxo.amount)
    addTo(balances, utxo.asset, utxo.amount)
  }
  const { unlocked, lockedStakeable, lockedNotStakeable } = byLock
  return {
    balance: nativeOf(balances),
    unlocked: nativeOf(unlocked),
    lockedStakeable: nativeOf(lockedStakeable),
    lockedNotStakeable: nativeOf(lockedNotStakeable),
    balances: mapJson(balances),
    unlockeds: mapJson(unlocked),
    lockedStakeables: mapJson(lockedStakeable),
    lockedNotStakeables: mapJson(lockedNotStakeable),
    utxoIDs: utxos.length === 0 ? null : utxos.map(({ txId, index }) => ({ txID: txId, outputIndex: index })),
  }
}

function lockOf({ owner, stakeableLocktime }: Utxo, time: bigint): Lock {
  if (owner.locktime > time) return 'lockedNotStakeable'
  return stakeableLocktime !== null && stakeableLocktime > time ? 'lockedStakeable' : 'unlocked'
}

function nativeOf(sums: Sums): string {
  return (sums.get(nativeAssetText) ?? 0n).toString()
}

function mapJson(sums: Sums): Record<string, string> {
  return Object.fromEntries([...sums].map(([asset, sum]) => [asset, sum.toString()]))
}

type BlockchainMethods = Readonly<Record<'getBlockchains' | 'getBlockchainStatus', RpcMethod>>

/** Every blockchain except the P-Chain itself, and the node's status for a blockchain (specification, part 3). */
function blockchainMethods(
  chains: () => readonly CachedChain[],
  others: readonly OtherChain[] = [],
): BlockchainMethods {
  return {
    getBlockchains: () => {
      const created = chains().map(({ id, name, subnetId }) => ({ id, name, subnetID: subnetId, vmID: evmVmText }))
      const genesis = (['C', 'X'] as const).map((alias) => {
        return { id: chainTexts[alias], name: `${alias}-Chain`, subnetID: chainTexts.P, vmID: vmTexts[alias] }
      })
      const assets = others.map(({ id, name, subnetId }) => ({ id, name, subnetID: subnetId, vmID: vmTexts.X }))
      return [JSON.stringify({ blockchains: [...created, ...assets, ...genesis] })]
    },
    getBlockchainStatus: (parameters) => {
      const id = textOf(parameters, 'blockchainid')
      if (id === '') throw new MethodError("argument 'blockchainID' not given")
      const isOther = others.some((chain) => chain.id === id)
      return [`{"status":"${isOther ? 'Validating' : statusOf(id, chains())}"}`]
    },
  }
}

/** The node validates the chains of the primary network and follows the P-Chain, as the recorded nodes do. */
function statusOf(id: string, chains: readonly CachedChain[]): string {
  const primary = Object.entries(chainTexts).find(([alias, text]) => alias === id || text === id)
  if (primary !== undefined) return primary[0] === 'P' ? 'Syncing' : 'Validating'
  const mistake = idMistake(id)
  if (mistake !== null) throw new MethodError(`problem parsing blockchainID ${JSON.stringify(id)}: ${mistake}`)
  return chains.some((chain) => chain.id === id) ? 'Created' : 'Unknown'
}

type FeeMethods = Readonly<
  Record<'getFeeConfig' | 'getFeeState' | 'getValidatorFeeConfig' | 'getValidatorFeeState', RpcMethod>
>

/** The fees of an idle chain: nothing is above the target, so the prices are the lowest ones. The configuration is that of the recorded nodes. */
function feeMethods(ledger: PrimaryLedger): FeeMethods {
  const answer = (value: object) => [JSON.stringify(value)]
  return {
    getFeeConfig: () =>
      answer({
        weights: [1, 1000, 1000, 4],
        maxCapacity: 1_000_000,
        maxPerSecond: 100_000,
        targetPerSecond: 50_000,
        minPrice: 1,
        excessConversionConstant: 2_164_043,
      }),
    getFeeState: async () =>
      answer({ capacity: 1_000_000, excess: 0, price: 1, timestamp: chainTime(await ledger.state()) }),
    getValidatorFeeConfig: () =>
      answer({ capacity: 20_000, target: 10_000, minPrice: 1, excessConversionConstant: 865_617 }),
    getValidatorFeeState: async () => answer({ excess: 0, price: 1, timestamp: chainTime(await ledger.state()) }),
  }
}

/** The time of the P-Chain, as its methods write it. */
function chainTime({ times }: PrimaryState): string {
  return new Date(times.P * 1000).toISOString().replace('.000Z', 'Z')
}

/** The reward UTXOs of a staking transaction, spent or not. The list is empty before the end of the stake, and for other transactions. */
function rewardUtxoMethods(ledger: PrimaryLedger): Readonly<Record<'getRewardUTXOs', RpcMethod>> {
  return {
    getRewardUTXOs: async (parameters) => {
      const txId = idOf(parameters, 'txid')
      const encoding = bytesOnly(encodingOf(parameters))
      const rewards = (await ledger.state()).stakings.get(txId)?.rewards ?? []
      const texts = rewards.map((utxo) => `"${encodedBytes(utxoPayload(utxo), encoding)}"`)
      return [`{"numFetched":"${rewards.length}","utxos":[${texts}],"encoding":"${encoding}"}`]
    },
  }
}

/** All subnets, and what the node knows of one of them (specification 4.3). It lists the Primary Network, but does not describe it. */
function subnetMethods(ledger: PrimaryLedger): Readonly<Record<'getSubnets' | 'getSubnet', RpcMethod>> {
  return {
    getSubnets: async (parameters) => {
      const ids = new Set(textsOf(parameters, 'ids'))
      const listed = subnetsOf(await ledger.state()).map(({ created, owner }) => {
        return { id: created.txId, controlKeys: keysOf(owner).controlKeys, threshold: String(owner.threshold) }
      })
      const all = [...listed, { id: chainTexts.P, controlKeys: [], threshold: '0' }]
      return [JSON.stringify({ subnets: all.filter(({ id }) => ids.size === 0 || ids.has(id)) })]
    },
    getSubnet: async (parameters) => {
      const id = idOf(parameters, 'subnetid')
      if (id === chainTexts.P) throw new MethodError("the primary network isn't a subnet")
      const state = await ledger.state()
      const subnet = subnetsOf(state).find(({ created }) => created.txId === id)
      if (subnet === undefined) throw new MethodError('not found')
      return [JSON.stringify(subnetJson(state, subnet))]
    },
  }
}

function subnetJson({ p }: PrimaryState, { created, owner, conversion }: Subnet): object {
  const transformation = p.find(({ type, details }) => {
    return type === 'TransformSubnetTx' && details.subnetId === created.txId
  })
  const manager = conversion?.details.manager
  return {
    isPermissioned: conversion === null && transformation === undefined,
    ...keysOf(owner),
    subnetTransformationTxID: transformation?.txId ?? zeroIdText,
    conversionID: conversion === null ? zeroIdText : standIn(conversion.txId),
    managerChainID: manager?.blockchainId ?? zeroIdText,
    managerAddress: manager?.contractAddress ?? null,
  }
}

/** An id with the form of that of a conversion. A real node hashes the data of the conversion. */
function standIn(txId: string): string {
  return idText(createHash('sha256').update(`conversion ${txId}`).digest())
}

function keysOf(owner: Subnet['owner']) {
  const { addresses, threshold, locktime } = ownerJson(owner)
  return { controlKeys: addresses, threshold, locktime }
}

/** The supply of the staked asset of a subnet. Only permissionless subnets have one (specification 4.3). */
function supplyMethods(ledger: PrimaryLedger, store: ContainerStore): Readonly<Record<'getCurrentSupply', RpcMethod>> {
  return {
    getCurrentSupply: async (parameters) => {
      const subnetId = idOf(parameters, 'subnetid')
      const height = store.count()
      const supply = (await ledger.state()).supplies.get(subnetId)
      if (supply === undefined) throw new MethodError('fetching current supply failed: not found')
      return [`{"supply":"${supply}","height":"${height}"}`]
    },
  }
}
