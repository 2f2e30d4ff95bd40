import { createHash } from 'node:crypto'
import { idText } from '../../../codec/ids.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { idOf, MethodError, textsOf } from '../../http/parameters.ts'
import { chainTexts, zeroIdText } from '../../network/genesis.ts'
import type { PrimaryLedger, PrimaryState } from '../../service/primary/ledger/ledger.ts'
import { type Subnet, subnetsOf } from '../../service/primary/routes/subnets.ts'
import { ownerJson } from '../shared/owner-json.ts'

/** All subnets, and what the node knows of one of them (specification 4.3). It lists the Primary Network, but does not describe it. */
export function subnetMethods(ledger: PrimaryLedger): Readonly<Record<'getSubnets' | 'getSubnet', RpcMethod>> {
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
