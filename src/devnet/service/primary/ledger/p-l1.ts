import { idText } from '../../../../codec/cb58.ts'
import { sha256 } from '../../../../codec/hash.ts'
import { convertedValidationId } from '../../../../codec/ids.ts'
import { decodeL1Call } from '../../../../codec/l1.ts'
import { nodeIdText } from '../../../../codec/node-id.ts'
import type { UnsignedPTx } from '../../../../codec/p/transactions.ts'
import { nativeAssetText } from '../../../network/genesis.ts'
import { refundOf } from '../../../p/transactions/l1.ts'
import type { Journal } from './journal.ts'
import type { L1Change, PTransaction, UtxoOwner } from './model.ts'
import { emitPaid } from './p-outputs.ts'
import { hex0x } from './texts.ts'

type L1Validator = Omit<L1Change, 'remainingBalance' | 'balanceChange' | 'weight'> & {
  weight: bigint
  balance: bigint
  readonly owner: UtxoOwner
}

/** Follows the validators of L1s. */
export type L1Validators = {
  /** Changes of the validators that a transaction touches. */
  changes(tx: UnsignedPTx): L1Change[]
  /** What is left of the balance of a validator that a transaction ends comes back. */
  refund(tx: UnsignedPTx, txId: Uint8Array, transaction: PTransaction): void
  active(): number
  /** What balances have paid in fees so far. */
  fees(): bigint
}

export function createL1Validators({ book }: Journal): L1Validators {
  const validators = new Map<string, L1Validator>()
  let fees = 0n
  const changeOf = (validator: L1Validator, balanceChange: bigint): L1Change => {
    const { owner: _, balance, ...rest } = validator
    return { ...rest, remainingBalance: balance, balanceChange }
  }
  const add = (id: Uint8Array, facts: Omit<L1Validator, 'validationId' | 'validationIdHex'>): L1Change => {
    const validator = { validationId: idText(id), validationIdHex: hex0x(id), ...facts }
    validators.set(validator.validationId, validator)
    return changeOf(validator, validator.balance)
  }
  const find = (id: Uint8Array): L1Validator => {
    const found = validators.get(idText(id))
    if (found === undefined) throw new RangeError(`no validator ${idText(id)}`)
    return found
  }
  return {
    changes: (tx) => {
      switch (tx.type) {
        case 'ConvertSubnetToL1Tx':
          return tx.validators.map(({ nodeID, weight, balance, signer, remainingBalanceOwner }, position) =>
            add(convertedValidationId(tx.subnetID, position), {
              nodeId: nodeIdText(nodeID),
              subnetId: idText(tx.subnetID),
              weight,
              balance,
              publicKey: hex0x(signer.publicKey),
              owner: book.ownerOf(remainingBalanceOwner),
            }),
          )
        case 'RegisterL1ValidatorTx': {
          const { payload, value } = decodeL1Call(tx.message, 'message')
          if (value.type !== 'warp.RegisterL1Validator') throw new RangeError(`a message of type ${value.type}`)
          const facts = {
            nodeId: nodeIdText(value.nodeID),
            subnetId: idText(value.subnetID),
            weight: value.weight,
            balance: tx.balance,
            publicKey: hex0x(value.blsPublicKey),
            owner: book.ownerOf(value.remainingBalanceOwner),
          }
          return [add(sha256(payload), facts)]
        }
        case 'IncreaseL1ValidatorBalanceTx': {
          const validator = find(tx.validationID)
          validator.balance += tx.balance
          return [changeOf(validator, tx.balance)]
        }
        case 'SetL1ValidatorWeightTx':
        case 'DisableL1ValidatorTx': {
          const { validator, weight } = weightChange(tx, find)
          validator.weight = weight
          const ends = weight === 0n || tx.type === 'DisableL1ValidatorTx'
          const change = changeOf(validator, ends ? -validator.balance : 0n)
          return [ends ? { ...change, remainingBalance: 0n } : change]
        }
      }
      return []
    },
    refund: (tx, txId, transaction) => {
      if (tx.type !== 'SetL1ValidatorWeightTx' && tx.type !== 'DisableL1ValidatorTx') return
      const { validator, weight } = weightChange(tx, find)
      if (weight > 0n && tx.type === 'SetL1ValidatorWeightTx') return
      const amount = refundOf(validator.balance, txId)
      fees += validator.balance - amount
      validators.delete(validator.validationId)
      const utxo = emitPaid(book, {
        txId: transaction.txId,
        index: tx.outputs.length,
        asset: nativeAssetText,
        amount,
        owner: validator.owner,
        origin: 'refund',
        created: transaction.place,
        rewardType: null,
      })
      transaction.emitted.push(utxo)
    },
    active: () => validators.size,
    fees: () => fees,
  }
}

type Ending = Extract<UnsignedPTx, { type: 'SetL1ValidatorWeightTx' | 'DisableL1ValidatorTx' }>

/** The validator and its weight after the transaction; one that is disabled keeps its weight. */
function weightChange(
  tx: Ending,
  find: (id: Uint8Array) => L1Validator,
): { readonly validator: L1Validator; readonly weight: bigint } {
  if (tx.type === 'DisableL1ValidatorTx') {
    const validator = find(tx.validationID)
    return { validator, weight: validator.weight }
  }
  const { value } = decodeL1Call(tx.message, 'message')
  if (value.type !== 'warp.L1ValidatorWeight') throw new RangeError(`a message of type ${value.type}`)
  return { validator: find(value.validationID), weight: value.weight }
}
