import { createHash } from 'node:crypto'
import { idText } from '../../codec/ids.ts'
import {
  bytesOnly,
  encodedBytes,
  encodingOf,
  idOf,
  MethodError,
  type RpcMethods,
  textOf,
  textsOf,
} from '../http/json-rpc.ts'
import type { ContainerStore } from '../index/store.ts'
import { chainTexts, evmVmText, hrp, nativeAssetText, vmTexts, zeroIdText } from '../network/genesis.ts'
import type { CreatedChain } from '../p/state.ts'
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
  readonly chains: () => readonly CreatedChain[]
  readonly ledger: PrimaryLedger
  /** Chains of the asset VM other than the X-Chain. */
  readonly others: readonly OtherChain[]
}

/** The methods of `/ext/bc/P` (specification 4.3), without the name of their service. */
export function platformMethods({ blocks, store, chains, ledger, others }: PlatformFacts): RpcMethods {
  const answer = (value: object) => [JSON.stringify(value)]
  return {
    ...blockMethods(blocks, (bytes) => pBlockJson(bytes, hrp)),
    ...pTransactionMethods(store, others),
    ...validatorMethods(ledger, store),
    ...utxoMethods(ledger, 'P'),
    ...feeMethods(ledger),
    getProposedHeight: () => answer({ height: String(store.count()) }),
    getTimestamp: async () => answer({ timestamp: chainTime(await ledger.state()) }),
    getStakingAssetID: () => answer({ assetID: nativeAssetText }),
    /** Every blockchain except the P-Chain itself (specification, part 3). */
    getBlockchains: () => {
      const created = chains().map(({ id, name, subnetId }) => ({ id, name, subnetID: subnetId, vmID: evmVmText }))
      const genesis = (['C', 'X'] as const).map((alias) => {
        return { id: chainTexts[alias], name: `${alias}-Chain`, subnetID: chainTexts.P, vmID: vmTexts[alias] }
      })
      const assets = others.map(({ id, name, subnetId }) => ({ id, name, subnetID: subnetId, vmID: vmTexts.X }))
      return answer({ blockchains: [...created, ...assets, ...genesis] })
    },
    getBlockchainStatus: (parameters) => {
      const id = textOf(parameters, 'blockchainid')
      if (id === '') throw new MethodError("argument 'blockchainID' not given")
      const isOther = others.some((chain) => chain.id === id)
      return answer({ status: isOther ? 'Validating' : statusOf(id, chains()) })
    },
    /** All subnets. The list has the Primary Network, but `getSubnet` does not describe it. */
    getSubnets: async (parameters) => {
      const ids = new Set(textsOf(parameters, 'ids'))
      const listed = subnetsOf(await ledger.state()).map(({ created, owner }) => {
        return { id: created.txId, controlKeys: keysOf(owner).controlKeys, threshold: String(owner.threshold) }
      })
      const all = [...listed, { id: chainTexts.P, controlKeys: [], threshold: '0' }]
      return answer({ subnets: all.filter(({ id }) => ids.size === 0 || ids.has(id)) })
    },
    getSubnet: async (parameters) => {
      const id = idOf(parameters, 'subnetid')
      if (id === chainTexts.P) throw new MethodError("the primary network isn't a subnet")
      const state = await ledger.state()
      const subnet = subnetsOf(state).find(({ created }) => created.txId === id)
      if (subnet === undefined) throw new MethodError('not found')
      return answer(subnetJson(state, subnet))
    },
    /** Balances by their lock at the chain's time. An output that needs several signatures counts in full. */
    getBalance: async (parameters) => {
      const addresses = inOrder(textsOf(parameters, 'addresses').map((text) => readAddress('P', text)))
      const state = await ledger.state()
      const utxos = new Set(addresses.flatMap(({ text }) => unspentOf(state, 'P', 'P', text)))
      return answer(balanceJson([...utxos], state.times.P))
    },
    /** Spent or not. The list is empty before the end of the stake, and for transactions that do not stake. */
    getRewardUTXOs: async (parameters) => {
      const txId = idOf(parameters, 'txid')
      const encoding = bytesOnly(encodingOf(parameters))
      const rewards = (await ledger.state()).stakings.get(txId)?.rewards ?? []
      const utxos = rewards.map((utxo) => encodedBytes(utxoPayload(utxo), encoding))
      return answer({ numFetched: String(rewards.length), utxos, encoding })
    },
    /** The supply of the staked asset of a subnet. Only permissionless subnets have one. */
    getCurrentSupply: async (parameters) => {
      const subnetId = idOf(parameters, 'subnetid')
      const height = String(store.count())
      const supply = (await ledger.state()).supplies.get(subnetId)
      if (supply === undefined) throw new MethodError('fetching current supply failed: not found')
      return answer({ supply: String(supply), height })
    },
  }
}

type Sums = Map<string, bigint>
type Lock = 'unlocked' | 'lockedStakeable' | 'lockedNotStakeable'

/** In nAVAX for the native asset. */
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

/** The node validates the chains of the primary network and follows the P-Chain, as the recorded nodes do. */
function statusOf(id: string, chains: readonly CreatedChain[]): string {
  const primary = Object.entries(chainTexts).find(([alias, text]) => alias === id || text === id)
  if (primary !== undefined) return primary[0] === 'P' ? 'Syncing' : 'Validating'
  const mistake = idMistake(id)
  if (mistake !== null) throw new MethodError(`problem parsing blockchainID ${JSON.stringify(id)}: ${mistake}`)
  return chains.some((chain) => chain.id === id) ? 'Created' : 'Unknown'
}

/** The fees of an idle chain: nothing is above the target, so the prices are the lowest ones. The configuration is that of the recorded nodes. */
function feeMethods(ledger: PrimaryLedger): RpcMethods {
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
