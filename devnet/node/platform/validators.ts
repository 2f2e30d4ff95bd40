import { DecodeError } from '../../../codec/errors.ts'
import { nodeIdBytes } from '../../../codec/ids.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { idOf, MethodError, type Parameters, textsOf, uint64Of, unreadableArgument } from '../../http/parameters.ts'
import type { ContainerStore } from '../../index/store.ts'
import { chainTexts } from '../../network/genesis.ts'
import type { PrimaryLedger, PrimaryState } from '../../service/primary/ledger/ledger.ts'
import type { Stake } from '../../service/primary/ledger/model.ts'
import { delegationsOf, l1ValidatorsOf, permissionedOf, stakersOf } from '../../service/primary/validators.ts'
import { delegatorJson, l1ValidatorJson, permissionedJson, stakerJson } from './validator-json.ts'

/**
 * The current validators of a subnet (specification 4.3): stakers, validators that the owner of the subnet has added, and validators of an
 * L1. Delegators are listed only if the request names a single node; for several or all nodes, their number and weight are returned.
 */
export function validatorMethods(
  ledger: PrimaryLedger,
  store: ContainerStore,
): Readonly<Record<'getCurrentValidators' | 'getValidatorsAt', RpcMethod>> {
  return {
    getCurrentValidators: async (parameters) => {
      const subnetId = idOf(parameters, 'subnetid')
      const nodeIds = nodeIdsOf(parameters)
      const state = await ledger.state()
      const validators = validatorsOf(state, { subnetId, nodeIds, time: state.times.P })
      return [JSON.stringify({ validators })]
    },
    getValidatorsAt: async (parameters) => {
      if (idOf(parameters, 'subnetid') !== chainTexts.P)
        throw new MethodError('the simulated node has no earlier validators of other subnets than the Primary Network')
      const height = uint64Of(parameters, 'height')
      if (height > BigInt(store.count())) throw new MethodError('invalid height')
      return [JSON.stringify(validatorsAt(await ledger.state(), Number(height)))]
    },
  }
}

/** The validators of the Primary Network after the block of this height, with the stake of their delegators. */
function validatorsAt({ stakings }: PrimaryState, height: number): object {
  const set: Record<string, { publicKey?: string; weight: string }> = {}
  for (const { tx, subnetId, nodeId, amount, ended } of stakings.values()) {
    const isPast = ended !== null && ended.place.height <= height
    if (subnetId !== chainTexts.P || tx.place.height > height || isPast) continue
    const known = set[nodeId] ?? { weight: '0' }
    const key = tx.details.bls?.publicKey ?? known.publicKey
    const weight = (BigInt(known.weight) + amount).toString()
    set[nodeId] = { ...(key === undefined ? {} : { publicKey: key }), weight }
  }
  return set
}

type Selection = { readonly subnetId: string; readonly nodeIds: ReadonlySet<string>; readonly time: number }

function validatorsOf(state: PrimaryState, { subnetId, nodeIds, time }: Selection): object[] {
  const wanted = ({ nodeId }: { readonly nodeId: string }): boolean => nodeIds.size === 0 || nodeIds.has(nodeId)
  const stakerOf = (stake: Stake): object => {
    const delegations = delegationsOf(state, stake, time)
    const json = stakerJson(stake, delegations)
    return nodeIds.size === 1 ? { ...json, delegators: delegations.map(delegatorJson) } : json
  }
  return [
    ...stakersOf(state, subnetId, time).filter(wanted).map(stakerOf),
    ...permissionedOf(state, subnetId, time).filter(wanted).map(permissionedJson),
    ...l1ValidatorsOf(state, subnetId).filter(wanted).map(l1ValidatorJson),
  ]
}

function nodeIdsOf(parameters: Parameters): ReadonlySet<string> {
  const texts = textsOf(parameters, 'nodeids')
  try {
    for (const text of texts) nodeIdBytes(text)
  } catch (error) {
    if (error instanceof DecodeError) throw unreadableArgument()
    throw error
  }
  return new Set(texts)
}
