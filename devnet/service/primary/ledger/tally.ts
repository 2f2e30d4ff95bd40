import type { UnsignedAtomicTx } from '../../../../codec/c.ts'
import type { PInputValue, POutputValue, PTx, UnsignedPTx } from '../../../../codec/p.ts'
import { decodeL1Call } from '../../../../codec/warp.ts'
import type { UnsignedXTx, XState } from '../../../../codec/x.ts'
import { nativeAsset, nativeAssetText } from '../../../network/genesis.ts'
import type { Totals } from '../../plumbing/route.ts'

/** Counts rows and sums their amount columns, by table. */
export type Tally = {
  /** Counts a row; null amounts are not added to the sums. */
  add(table: string, amounts?: Readonly<Record<string, bigint | number | null>>): void
  /** The totals so far. Later rows do not change them. */
  totals(): Totals
}

/** Creates a tally. `tables` names every table with its amount columns, so that empty tables are included. */
export function createTally(tables: Readonly<Record<string, readonly string[]>>): Tally {
  const totals = new Map(
    Object.entries(tables).map(([table, columns]) => {
      const sums: Record<string, bigint> = Object.fromEntries(columns.map((column) => [column, 0n]))
      return [table, { rows: 0, sums }]
    }),
  )
  return {
    add: (table, amounts = {}) => {
      const total = totals.get(table)
      if (total === undefined) throw new RangeError(`no table ${table}`)
      total.rows += 1
      for (const [column, amount] of Object.entries(amounts))
        if (amount !== null) total.sums[column] = total.sums[column]! + BigInt(amount)
    },
    totals: () => Object.fromEntries([...totals].map(([name, { rows, sums }]) => [name, { rows, sums: { ...sums } }])),
  }
}

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
export function tallyPBlock(tally: Tally, txs: readonly PTx[]): void {
  tally.add('p_blocks')
  for (const { unsignedTx } of txs) {
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

/** Amount of the native asset (nAVAX) that a transaction adds to balances of L1 validators. */
export function l1BalanceOf(tx: UnsignedPTx): bigint {
  if (tx.type === 'ConvertSubnetToL1Tx') return tx.validators.reduce((sum, { balance }) => sum + balance, 0n)
  return 'balance' in tx ? tx.balance : 0n
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

export function amountIn({ input }: PInputValue): bigint {
  return input.type === 'stakeable.LockIn' ? input.input.amount : input.amount
}

export function amountOf({ output }: POutputValue): bigint {
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

/** Tables of X-Chain containers and their amount columns. */
export const xTables = {
  x_blocks: [],
  x_transactions: ['burned'],
  x_inputs: ['amount'],
  x_outputs: ['amount'],
  x_assets: ['initial_supply'],
  x_operations: [],
  x_vertices: [],
} as const satisfies Record<string, readonly string[]>

type Produced = { readonly asset: string; readonly state: XState }

/** Counts the rows of a transaction. */
export function tallyX(tally: Tally, tx: UnsignedXTx, produced: readonly Produced[]): void {
  const transfers = [...tx.inputs, ...(tx.type === 'ImportTx' ? tx.importedInputs : [])]
  let burned = 0n
  for (const { assetID, input } of transfers) {
    tally.add('x_inputs', { amount: input.amount })
    if (Buffer.compare(assetID, nativeAsset) === 0) burned += input.amount
  }
  produced.forEach(({ asset, state }, index) => {
    const amount = 'amount' in state ? state.amount : null
    tally.add('x_outputs', { amount })
    // Operations state what they mint but not what they consume.
    const operated = tx.type === 'OperationTx' && index >= tx.outputs.length
    if (asset === nativeAssetText && amount !== null && !operated) burned -= amount
  })
  tally.add('x_transactions', { burned })
  if (tx.type === 'CreateAssetTx') {
    const initial = produced.slice(tx.outputs.length)
    const supply = initial.reduce((sum, { state }) => sum + ('amount' in state ? state.amount : 0n), 0n)
    tally.add('x_assets', { initial_supply: supply })
  }
  if (tx.type !== 'OperationTx') return
  for (const { inputIDs } of tx.operations) {
    tally.add('x_operations')
    for (const _ of inputIDs) tally.add('x_inputs')
  }
}

/** Tables of atomic transactions in C-Chain containers and their amount columns. */
export const cTables = {
  c_atomic_transactions: ['burned'],
  c_atomic_inputs: ['amount'],
  c_atomic_outputs: ['amount'],
} as const satisfies Record<string, readonly string[]>

type Moved = { readonly assetID: Uint8Array; readonly amount: bigint }

const movedAmount = ({ amount }: Moved): bigint => amount

/** Counts the rows of an atomic transaction. */
export function tallyAtomic(tally: Tally, tx: UnsignedAtomicTx): void {
  const { inputs, outputs } = movedBy(tx)
  for (const { amount } of inputs) tally.add('c_atomic_inputs', { amount })
  for (const { amount } of outputs) tally.add('c_atomic_outputs', { amount })
  tally.add('c_atomic_transactions', { burned: native(inputs, movedAmount) - native(outputs, movedAmount) })
}

function movedBy(tx: UnsignedAtomicTx): { readonly inputs: readonly Moved[]; readonly outputs: readonly Moved[] } {
  if (tx.type === 'ImportTx') {
    const inputs = tx.importedInputs.map(({ assetID, input }) => ({ assetID, amount: input.amount }))
    return { inputs, outputs: tx.outputs }
  }
  const outputs = tx.exportedOutputs.map(({ assetID, output }) => ({ assetID, amount: output.amount }))
  return { inputs: tx.inputs, outputs }
}
