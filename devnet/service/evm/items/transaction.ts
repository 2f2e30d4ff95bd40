import { evmChainId } from '../../../c/state.ts'
import type { Dialect } from '../../../index/methods.ts'
import { zeroAddress } from '../contracts/contract.ts'
import { receiverGas } from '../receiver-calls.ts'
import type { EvmTransaction, EvmTransfer } from '../state.ts'
import { partyOf } from './addresses.ts'
import { blockFields } from './transfer.ts'

/** A transaction as lists of wallets show it. */
export function transactionItem(transaction: EvmTransaction, dialect: Dialect): object {
  const { block, index, hash, from, to, value, nonce, gasLimit, type, selector, result } = transaction
  const { minDelayExcess } = block
  return {
    ...blockFields(block, dialect),
    ...(dialect === 'node' && minDelayExcess !== null ? { blockMinDelayExcess: minDelayExcess } : {}),
    chainId: String(evmChainId),
    blockIndex: index,
    txHash: hash,
    txStatus: result.succeeded ? '1' : '0',
    txType: type,
    gasLimit: String(gasLimit),
    gasUsed: String(result.gasUsed),
    gasPrice: String(result.price),
    nonce: String(nonce),
    from: partyOf(from),
    to: partyOf(to ?? zeroAddress),
    ...(selector === null ? {} : { method: methodOf(transaction, selector) }),
    value: String(value),
  }
}

function methodOf({ to }: EvmTransaction, selector: string): object {
  return { callType: to === null ? 'CONTRACT_CREATION' : 'CONTRACT_CALL', methodHash: selector }
}

/** The call by which the contract of an ERC-721 or ERC-1155 asks the receiver of a transfer whether it accepts tokens. */
export function receiverCallItem({ block, txHash, token, to }: EvmTransfer, dialect: Dialect): object {
  return {
    ...blockFields(block, dialect),
    txHash,
    from: partyOf(token.address),
    to: partyOf(to),
    internalTxType: 'CALL',
    value: '0',
    isReverted: false,
    gasLimit: String(receiverGas.limit),
    gasUsed: String(receiverGas.used),
  }
}
