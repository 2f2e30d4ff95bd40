import { decodeCb58 } from '../../../codec/ids.ts'
import { addTo } from '../../lib.ts'
import type { PrimaryState } from './ledger/ledger.ts'
import type { L1Validator, PermissionedValidator, Stake } from './ledger/model.ts'

type Times = { readonly start: number; readonly end: number }

/** The stakers that validate a subnet at a time (Unix seconds), ordered by their end. */
export function stakersOf({ stakes }: PrimaryState, subnetId: string, time: number): Stake[] {
  return [...stakes]
    .filter((stake) => stake.kind !== 'delegator' && stake.subnetId === subnetId && stake.start <= time)
    .sort(byEnd)
}

/** The delegations to a staker at a time (Unix seconds), ordered by their end. */
export function delegationsOf({ stakes }: PrimaryState, to: Stake, time: number): Stake[] {
  return [...stakes].filter((stake) => stake.validator === to && stake.start <= time).sort(byEnd)
}

/** The validators that the owner of a subnet has added, at a time (Unix seconds). */
export function permissionedOf(
  { permissioned }: PrimaryState,
  subnetId: string,
  time: number,
): PermissionedValidator[] {
  return [...permissioned.values()]
    .filter((validator) => validator.subnetId === subnetId && isRunning(validator, time))
    .sort(byEnd)
}

/** The validators of an L1, including those without a balance. */
export function l1ValidatorsOf({ l1Validators }: PrimaryState, subnetId: string): L1Validator[] {
  return [...l1Validators.values()].filter((validator) => validator.subnetId === subnetId)
}

function isRunning({ start, end }: Times, time: number): boolean {
  return start <= time && time < end
}

function byEnd(a: Times, b: Times): number {
  return a.end - b.end
}

export const validationStatuses = ['completed', 'active', 'pending', 'removed'] as const
type ValidationStatus = (typeof validationStatuses)[number]

/** A validation of a subnet at the head of the chain: a stake, or a validator that the owner of the subnet has added. */
export type Validation = {
  readonly txId: string
  readonly nodeId: string
  readonly subnetId: string
  /** Stake, or weight. */
  readonly amount: bigint
  /** Unix seconds. */
  readonly start: number
  readonly end: number
  readonly status: ValidationStatus
  readonly removal: PermissionedValidator['removal']
  /** Null without a stake. */
  readonly staking: Staking | null
}

export type Staking = {
  readonly stake: Stake
  /** Current delegations of an active validator, all delegations of a completed one. */
  readonly delegations: readonly Stake[]
}

/** Every validation that ever existed, in the order of their transactions. Validators of L1s are not among them. */
export function validationsOf(state: PrimaryState): Validation[] {
  const delegations = delegationsOfAll(state)
  return state.p.flatMap(({ txId }): Validation[] => {
    const permission = state.permissions.get(txId)
    if (permission !== undefined) return [permissionedValidation(permission, state.times.P)]
    const stake = state.stakings.get(txId)
    if (stake === undefined || stake.kind === 'delegator') return []
    return [stakedValidation(stake, delegations.get(stake) ?? [], state.times.P)]
  })
}

function stakedValidation(stake: Stake, delegations: readonly Stake[], time: number): Validation {
  const { nodeId, subnetId, amount, start, end, ended, tx } = stake
  const status = ended !== null ? 'completed' : start > time ? 'pending' : 'active'
  const shown =
    status === 'completed' ? delegations : delegations.filter((each) => each.ended === null && each.start <= time)
  return {
    ...{ nodeId, subnetId, amount, start, end, status },
    txId: tx.txId,
    removal: null,
    staking: { stake, delegations: shown },
  }
}

function permissionedValidation(validator: PermissionedValidator, time: number): Validation {
  const { txId, nodeId, subnetId, weight, start, end, removal } = validator
  return {
    txId,
    nodeId,
    subnetId,
    amount: weight,
    start,
    end,
    removal,
    status: statusOf(validator, time),
    staking: null,
  }
}

function statusOf({ start, end, removal }: PermissionedValidator, time: number): ValidationStatus {
  if (removal !== null) return 'removed'
  if (end <= time) return 'completed'
  return start > time ? 'pending' : 'active'
}

function delegationsOfAll({ stakings }: PrimaryState): Map<Stake, Stake[]> {
  const found = new Map<Stake, Stake[]>()
  for (const stake of stakings.values()) if (stake.validator !== null) addTo(found, stake.validator, stake)
  return found
}

/** Sum of the delegations. */
export function delegatedTo({ delegations }: Staking): bigint {
  return delegations.reduce((sum, { amount }) => sum + amount, 0n)
}

/** The simulated network has no peers, so the id of a transaction determines the uptime of its node. One node in eight is disconnected. */
export function isConnected(txId: string): boolean {
  return decodeCb58(txId)[0]! % 8 !== 0
}

/** In percent. */
export function uptimeOf(txId: string): number {
  return isConnected(txId) ? 100 : 60 + decodeCb58(txId)[1]! / 8
}
