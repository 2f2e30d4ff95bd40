import type { PInputValue, POutputValue, UnsignedPTx } from '../../../../codec/p.ts'
import { decodeL1Call } from '../../../../codec/warp.ts'
import { nativeAsset } from '../../../network/genesis.ts'
import type { Decoded } from './p-acceptance.ts'
import { l1BalanceOf } from './p-details.ts'
import type { Tally } from './tally.ts'

/** Tables of P-Chain containers and their amount columns. */
export const pTables = {
  p_blocks: [],
  p_transactions: [
    'burned',
    'initial_supply',
    'maximum_supply',
    'min_validator_stake',
    'max_validator_stake',
    'min_delegator_stake',
  ],
  p_inputs: ['amount'],
  p_outputs: ['amount'],
  p_validations: ['weight', 'balance'],
} as const satisfies Record<string, readonly string[]>

/** Counts the rows of a block. */
export function tallyPBlock(tally: Tally, decoded: readonly Decoded[]): void {
  tally.add('p_blocks')
  for (const { tx } of decoded) {
    const { unsignedTx } = tx
    const inputs = inputsOf(unsignedTx)
    const outputs = outputsOf(unsignedTx)
    for (const input of inputs) tally.add('p_inputs', { amount: amountIn(input) })
    for (const output of outputs) tally.add('p_outputs', { amount: amountOf(output) })
    const burned =
      inputs.length === 0 ? null : native(inputs, amountIn) - native(outputs, amountOf) - l1BalanceOf(unsignedTx)
    tally.add('p_transactions', { burned, ...elasticAmounts(unsignedTx) })
    for (const validation of validationsOf(unsignedTx)) tally.add('p_validations', validation)
  }
}

function elasticAmounts(tx: UnsignedPTx): Record<string, bigint> {
  if (tx.type !== 'TransformSubnetTx') return {}
  return {
    initial_supply: tx.initialSupply,
    maximum_supply: tx.maximumSupply,
    min_validator_stake: tx.minValidatorStake,
    max_validator_stake: tx.maxValidatorStake,
    min_delegator_stake: tx.minDelegatorStake,
  }
}

function inputsOf(tx: UnsignedPTx): PInputValue[] {
  return [...('inputs' in tx ? tx.inputs : []), ...('importedInputs' in tx ? tx.importedInputs : [])]
}

function outputsOf(tx: UnsignedPTx): POutputValue[] {
  return [
    ...('outputs' in tx ? tx.outputs : []),
    ...('stake' in tx ? tx.stake : []),
    ...('exportedOutputs' in tx ? tx.exportedOutputs : []),
  ]
}

function amountIn({ input }: PInputValue): bigint {
  return input.type === 'stakeable.LockIn' ? input.input.amount : input.amount
}

function amountOf({ output }: POutputValue): bigint {
  return output.type === 'stakeable.LockOut' ? output.output.amount : output.amount
}

function native<T extends { readonly assetID: Uint8Array }>(moved: readonly T[], amount: (each: T) => bigint): bigint {
  return moved.reduce((sum, each) => (Buffer.compare(each.assetID, nativeAsset) === 0 ? sum + amount(each) : sum), 0n)
}

type Validation = { readonly weight: bigint | null; readonly balance: bigint | null }

/** Weight and balance of each validator or delegation that a transaction changes. */
function validationsOf(tx: UnsignedPTx): Validation[] {
  switch (tx.type) {
    case 'AddValidatorTx':
    case 'AddSubnetValidatorTx':
    case 'AddDelegatorTx':
    case 'AddPermissionlessValidatorTx':
    case 'AddPermissionlessDelegatorTx':
      return [{ weight: tx.validator.weight, balance: null }]
    case 'AddAutoRenewedValidatorTx':
      return [{ weight: tx.stake.reduce((sum, output) => sum + amountOf(output), 0n), balance: null }]
    case 'SetAutoRenewedValidatorConfigTx':
    case 'RemoveSubnetValidatorTx':
    case 'DisableL1ValidatorTx':
      return [{ weight: null, balance: null }]
    case 'ConvertSubnetToL1Tx':
      return tx.validators.map(({ weight, balance }) => ({ weight, balance }))
    case 'RegisterL1ValidatorTx':
    case 'SetL1ValidatorWeightTx': {
      const { value } = decodeL1Call(tx.message, 'message')
      const weight = 'weight' in value ? value.weight : null
      return [{ weight, balance: 'balance' in tx ? tx.balance : null }]
    }
    case 'IncreaseL1ValidatorBalanceTx':
      return [{ weight: null, balance: tx.balance }]
  }
  return []
}
