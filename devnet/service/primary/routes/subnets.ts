import { evmChainId } from '../../../c/state.ts'
import { chainTexts, genesisTime, vmTexts } from '../../../network/genesis.ts'
import { listRoute, type ServiceRoute, totalsOf } from '../../plumbing/route.ts'
import { boolean, choice, idForm, matching, text } from '../../plumbing/rules.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { L1Validator, PTransaction, UtxoOwner } from '../ledger/model.ts'
import { inOrder, sortOrders } from './lists.ts'

/** The largest page of both routes. */
const mostItems = 10_000

/** Subnets, and the blockchains of the P-Chain's transactions and its genesis. */
export function subnetRoutes(ledger: PrimaryLedger): ServiceRoute[] {
  return [
    listRoute({
      path: '/v1/networks/{network}/subnets',
      parameters: { sortOrder: choice(sortOrders) },
      pageSize: { default: 100, most: mostItems },
      cost: 'medium',
      totals: async () => ({ rest_subnets: totalsOf(subnetsOf(await ledger.state())) }),
      handle: async ({ query: { sortOrder } }) => {
        const state = await ledger.state()
        const chains = blockchainsOf(state)
        const rows = inOrder(subnetsOf(state), sortOrder, (subnet) => subnetShape(subnet, chains))
        return { items: 'subnets', rows, pinned: true }
      },
    }),
    listRoute({
      path: '/v1/networks/{network}/blockchains',
      parameters: { sortOrder: choice(sortOrders) },
      pageSize: { default: 100, most: mostItems },
      cost: 'medium',
      totals: async () => ({ rest_blockchains: totalsOf(blockchainsOf(await ledger.state())) }),
      handle: async ({ query: { sortOrder } }) => ({
        items: 'blockchains',
        rows: inOrder(blockchainsOf(await ledger.state()), sortOrder, (chain) => chain),
      }),
    }),
  ]
}

export type Subnet = {
  readonly created: PTransaction
  readonly owner: UtxoOwner
  /** The transaction that made it an L1; null for other subnets. */
  readonly conversion: PTransaction | null
}

/** Subnets in the order of their creation, with their present owners. */
export function subnetsOf({ p }: PrimaryState): Subnet[] {
  const subnets = new Map<string, Subnet>()
  for (const tx of p) {
    const { subnetId, subnetOwner } = tx.details
    if (subnetId === undefined) continue
    const known = subnets.get(subnetId)
    if (tx.type === 'CreateSubnetTx' && subnetOwner !== undefined)
      subnets.set(subnetId, { created: tx, owner: subnetOwner, conversion: null })
    else if (known !== undefined && tx.type === 'TransferSubnetOwnershipTx' && subnetOwner !== undefined)
      subnets.set(subnetId, { ...known, owner: subnetOwner })
    else if (known !== undefined && tx.type === 'ConvertSubnetToL1Tx')
      subnets.set(subnetId, { ...known, conversion: tx })
  }
  return [...subnets.values()]
}

function subnetShape({ created, owner, conversion }: Subnet, chains: readonly Blockchain[]): object {
  // As those of the real service, these fields keep the first owner.
  const first = created.details.subnetOwner ?? owner
  const manager = conversion?.details.manager
  return {
    createBlockTimestamp: created.place.time,
    createBlockIndex: String(created.place.height),
    subnetId: created.txId,
    ownerAddresses: first.addresses,
    threshold: first.threshold,
    locktime: Number(first.locktime),
    subnetOwnershipInfo: { ...owner, locktime: Number(owner.locktime) },
    isL1: conversion !== null,
    ...(conversion === null ? {} : { l1ConversionTransactionHash: conversion.txId }),
    ...(manager === undefined ? {} : { l1ValidatorManagerDetails: manager }),
    blockchains: chains.filter(({ subnetId }) => subnetId === created.txId),
  }
}

type Blockchain = {
  readonly createBlockTimestamp: number
  readonly createBlockNumber: string
  readonly blockchainId: string
  readonly vmId: string
  readonly subnetId: string
  readonly blockchainName: string
  readonly evmChainId?: number
  readonly genesisData?: string
}

/** Blockchains in the order of their creation; those of the genesis come first. */
function blockchainsOf({ p }: PrimaryState): Blockchain[] {
  const first = (['X', 'C'] as const).map((alias) => ({
    createBlockTimestamp: genesisTime,
    createBlockNumber: '0',
    blockchainId: chainTexts[alias],
    vmId: vmTexts[alias],
    subnetId: chainTexts.P,
    blockchainName: `${alias}-Chain`,
    ...(alias === 'C' ? { evmChainId } : {}),
  }))
  const created = p.flatMap(({ txId, place, details: { subnetId, blockchain } }): Blockchain[] => {
    if (blockchain === undefined || subnetId === undefined) return []
    const { name, vmId, genesis } = blockchain
    return [
      {
        createBlockTimestamp: place.time,
        createBlockNumber: String(place.height),
        blockchainId: txId,
        vmId,
        subnetId,
        blockchainName: name,
        genesisData: genesis,
      },
    ]
  })
  return [...first, ...created]
}

const id = text(matching(idForm, 'must be an id'))
const node = text(matching(/^NodeID-/, 'must be a node id'))

/** Validators of L1s: those with a balance, and on request also those without one. */
export function l1ValidatorRoute(ledger: PrimaryLedger): ServiceRoute {
  return listRoute({
    path: '/v1/networks/{network}/l1Validators',
    parameters: { l1ValidationId: id, subnetId: id, nodeId: node, includeInactiveL1Validators: boolean() },
    pageSize: { default: 10, most: 100 },
    cost: 'medium',
    totals: async () => ({
      rest_l1_validators: totalsOf([...(await ledger.state()).l1Validators.values()], {
        weight: ({ weight }) => weight,
        remaining_balance: ({ balance }) => balance,
      }),
    }),
    handle: async ({ query: { l1ValidationId, subnetId, nodeId, includeInactiveL1Validators } }) => {
      const state = await ledger.state()
      const found = [...state.l1Validators.values()].filter(
        (validator) =>
          (l1ValidationId === undefined || validator.validationId === l1ValidationId) &&
          (subnetId === undefined || validator.subnetId === subnetId) &&
          (nodeId === undefined || validator.nodeId === nodeId) &&
          (includeInactiveL1Validators === true || validator.balance > 0n),
      )
      const extra = { blockHeight: String(heightOf(state)) }
      return { items: 'validators', rows: found.map(validatorShape), extra, pinned: true }
    },
  })
}

function heightOf({ p }: PrimaryState): number {
  return p.at(-1)?.place.height ?? 0
}

function validatorShape(validator: L1Validator): object {
  return {
    validationId: validator.validationId,
    validationIdHex: validator.validationIdHex,
    nodeId: validator.nodeId,
    subnetId: validator.subnetId,
    weight: Number(validator.weight),
    remainingBalance: Number(validator.balance),
    creationTimestamp: validator.start,
    blsCredentials: { publicKey: validator.publicKey },
    remainingBalanceOwner: ownerShape(validator.remainingBalanceOwner),
    deactivationOwner: ownerShape(validator.deactivationOwner),
  }
}

function ownerShape({ addresses, threshold }: UtxoOwner): object {
  return { addresses, threshold }
}
