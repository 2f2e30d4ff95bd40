import { chainTexts } from '../../network/genesis.ts'
import { healthCounts } from '../../node/health.ts'
import type { TableTotals, Totals } from '../plumbing/totals.ts'
import type { PrimaryState } from '../primary/ledger/ledger.ts'
import type { Reward, Utxo } from '../primary/ledger/model.ts'
import { isUnspent } from '../primary/unspent.ts'
import { delegationsOf, l1ValidatorsOf, permissionedOf, stakersOf } from '../primary/validators.ts'

/**
 * Totals of the tables of the node's state: one observation of every subnet, chain and address. The UTXOs are those that the example
 * requests: the P-Chain's and X-Chain's own ones, and those that the C-Chain has exported to the P-Chain. `p_state_outputs` and
 * `x_state_outputs` contain outputs that no container contains: the node shows genesis outputs and refunds only while they are unspent, but
 * all rewards.
 */
export function nodeTotals(state: PrimaryState): Totals {
  const subnets = [chainTexts.P, ...created(state, 'CreateSubnetTx')]
  const health = healthCounts()
  const unspent = state.book.utxos.filter((utxo) => isUnspent(utxo, utxo.createdOn, utxo.livesOn))
  return {
    ...validatorTotals(state, subnets),
    // The X-Chain and the C-Chain exist from the beginning.
    node_blockchains: rows(created(state, 'CreateChainTx').length + 2),
    // Subnets without a supply are rows with an error.
    node_supply: { rows: subnets.length, sums: { supply: sumOf([...state.supplies.values()]) } },
    node_fees: rows(1),
    node_p_fees: rows(1),
    node_validator_fees: rows(1),
    node_subnets: rows(subnets.length - 1),
    node_evm_state: rows(1),
    node_vm_config: rows(1),
    node_health_reports: rows(health.reports),
    node_health: rows(health.checks),
    node_assets: rows(state.book.assets.size),
    node_utxos: amounts(unspent.filter(isListed)),
    p_state_outputs: amounts([...unspent.filter((utxo) => isStateOutput(utxo, 'P')), ...spentRewards(state.rewards)]),
    x_state_outputs: amounts(unspent.filter((utxo) => isStateOutput(utxo, 'X'))),
  }
}

function validatorTotals(state: PrimaryState, subnets: readonly string[]): Totals {
  const time = state.times.P
  const stakers = subnets.flatMap((subnetId) => stakersOf(state, subnetId, time))
  const permissioned = subnets.flatMap((subnetId) => permissionedOf(state, subnetId, time))
  const delegations = stakers.flatMap((stake) => delegationsOf(state, stake, time))
  const l1 = subnets.flatMap((subnetId) => l1ValidatorsOf(state, subnetId))
  const weight = sumOf(stakers.map(amountOf)) + sumOf(permissioned.map(({ weight }) => weight))
  return {
    node_validators: { rows: stakers.length + permissioned.length, sums: { weight } },
    node_delegators: { rows: delegations.length, sums: { weight: sumOf(delegations.map(amountOf)) } },
    node_l1_validators: {
      rows: l1.length,
      sums: { weight: sumOf(l1.map(({ weight }) => weight)), balance: sumOf(l1.map(({ balance }) => balance)) },
    },
  }
}

/** Ids of the objects that transactions of this type have created. */
function created({ p }: PrimaryState, type: string): string[] {
  return p.filter((tx) => tx.type === type).map(({ txId }) => txId)
}

function isListed({ createdOn, livesOn }: Utxo): boolean {
  return createdOn === livesOn || (createdOn === 'C' && livesOn === 'P')
}

/** Whether no container of its chain contains the output. */
function isStateOutput({ origin, createdOn, livesOn }: Utxo, chain: 'P' | 'X'): boolean {
  return createdOn === chain && livesOn === chain && ['genesis', 'reward', 'refund'].includes(origin)
}

/** Spent rewards. The node returns them by the id of their stake. */
function spentRewards(rewards: readonly Reward[]): Utxo[] {
  return rewards.map(({ utxo }) => utxo).filter(({ consumption }) => consumption !== null)
}

function rows(count: number): TableTotals {
  return { rows: count, sums: {} }
}

/** Rights and tokens have no amount. */
function amounts(utxos: readonly Utxo[]): TableTotals {
  const coins = utxos.filter(({ kind }) => kind === 'transfer')
  return { rows: utxos.length, sums: { amount: sumOf(coins.map(amountOf)) } }
}

function amountOf({ amount }: { readonly amount: bigint }): bigint {
  return amount
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n)
}
