import { boolean, listRoute, type ServiceRoute, text, totalsOf } from '../../plumbing/index.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { UtxoOwner } from '../ledger/model.ts'
import type { L1Validator } from '../ledger/validators.ts'

const id = text({
  read: (given) => (/^[1-9A-HJ-NP-Za-km-z]{32,60}$/.test(given) ? given : null),
  says: 'must be an id',
})
const node = text({ read: (given) => (given.startsWith('NodeID-') ? given : null), says: 'must be a node id' })

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
