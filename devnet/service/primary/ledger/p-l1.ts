import { sha256 } from '../../../../codec/hash.ts'
import { convertedValidationId, idText, nodeIdText } from '../../../../codec/ids.ts'
import type { UnsignedPTx } from '../../../../codec/p.ts'
import { decodeL1Call } from '../../../../codec/warp.ts'
import { hex0x } from '../../../lib.ts'
import { nativeAssetText } from '../../../network/genesis.ts'
import { refundOf } from '../../../p/transactions/l1.ts'
import type { Journal } from './book.ts'
import type { L1Change, L1Validator, PTransaction } from './model.ts'

/** Follows the validators of L1s. */
type L1Validators = {
  /** The changes of L1 validators by a transaction. `time`: time of its block in Unix seconds. */
  changes(tx: UnsignedPTx, time: number): L1Change[]
  /** Returns the remaining balance of a validator that a transaction ends or disables. */
  refund(tx: UnsignedPTx, txId: Uint8Array, transaction: PTransaction): void
  active(): number
  /** Fees that the balances have paid so far, in nAVAX. */
  fees(): bigint
}

type Registered = Omit<L1Validator, 'validationId' | 'validationIdHex' | 'minNonce'>

export function createL1Validators({ book, l1Validators: validators }: Journal): L1Validators {
  let fees = 0n
  let active = 0
  const add = (id: Uint8Array, facts: Registered): L1Change => {
    const validator: L1Validator = { validationId: idText(id), validationIdHex: hex0x(id), minNonce: 0n, ...facts }
    validators.set(validator.validationId, validator)
    active += 1
    return changeOf(validator, validator.balance)
  }
  const find = (id: Uint8Array): L1Validator => {
    const found = validators.get(idText(id))
    if (found === undefined) throw new RangeError(`no validator ${idText(id)}`)
    return found
  }
  return {
    changes: (tx, start) => {
      switch (tx.type) {
        case 'ConvertSubnetToL1Tx':
          return tx.validators.map(({ nodeID, weight, balance, signer, ...owners }, position) =>
            add(convertedValidationId(tx.subnetID, position), {
              nodeId: nodeIdText(nodeID),
              subnetId: idText(tx.subnetID),
              start,
              weight,
              balance,
              publicKey: hex0x(signer.publicKey),
              remainingBalanceOwner: book.ownerOf(owners.remainingBalanceOwner),
              deactivationOwner: book.ownerOf(owners.deactivationOwner),
            }),
          )
        case 'RegisterL1ValidatorTx': {
          const { payload, value } = decodeL1Call(tx.message, 'message')
          if (value.type !== 'warp.RegisterL1Validator') throw new RangeError(`a message of type ${value.type}`)
          const facts = {
            nodeId: nodeIdText(value.nodeID),
            subnetId: idText(value.subnetID),
            start,
            weight: value.weight,
            balance: tx.balance,
            publicKey: hex0x(value.blsPublicKey),
            remainingBalanceOwner: book.ownerOf(value.remainingBalanceOwner),
            deactivationOwner: book.ownerOf(value.disableOwner),
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
          const { validator, weight, nonce } = weightChange(tx, find)
          validator.weight = weight
          validator.minNonce = nonce
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
      active -= 1
      // A disabled validator keeps its weight and stays in the set. A validator with weight 0 is removed.
      validator.balance = 0n
      if (tx.type === 'SetL1ValidatorWeightTx') validators.delete(validator.validationId)
      const utxo = book.emit({
        txId: transaction.txId,
        index: tx.outputs.length,
        asset: nativeAssetText,
        amount,
        owner: validator.remainingBalanceOwner,
        origin: 'refund',
        createdOn: 'P',
        created: transaction.place,
      })
      transaction.emitted.push(utxo)
    },
    active: () => active,
    fees: () => fees,
  }
}

function changeOf(validator: L1Validator, balanceChange: bigint): L1Change {
  const { validationId, validationIdHex, nodeId, subnetId, weight, balance, publicKey } = validator
  return {
    validationId,
    validationIdHex,
    nodeId,
    subnetId,
    weight,
    remainingBalance: balance,
    balanceChange,
    publicKey,
  }
}

type Ending = Extract<UnsignedPTx, { type: 'SetL1ValidatorWeightTx' | 'DisableL1ValidatorTx' }>

type WeightChange = { readonly validator: L1Validator } & Pick<L1Validator, 'weight'> & { readonly nonce: bigint }

/** The validator, its weight after the transaction and its next nonce. A disabled validator keeps both. */
function weightChange(tx: Ending, find: (id: Uint8Array) => L1Validator): WeightChange {
  if (tx.type === 'DisableL1ValidatorTx') {
    const validator = find(tx.validationID)
    return { validator, weight: validator.weight, nonce: validator.minNonce }
  }
  const { value } = decodeL1Call(tx.message, 'message')
  if (value.type !== 'warp.L1ValidatorWeight') throw new RangeError(`a message of type ${value.type}`)
  return { validator: find(value.validationID), weight: value.weight, nonce: value.nonce + 1n }
}
