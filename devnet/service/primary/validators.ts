import type { PrimaryState } from './ledger/ledger.ts'
import type { Stake } from './ledger/model.ts'
import type { L1Validator, PermissionedValidator } from './ledger/validators.ts'

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
