import { unwrap } from '../../../codec/containers.ts'
import { sha256 } from '../../../codec/hash.ts'
import { idText, txIdInBlock } from '../../../codec/ids.ts'
import { decodeWithSpans } from '../../../codec/linear.ts'
import { pBlock, type UnsignedPTx } from '../../../codec/p.ts'
import { conversionId, decodeL1Call, type L1Message } from '../../../codec/warp.ts'
import type { ContainerStore } from '../../index/store.ts'
import { createFollower } from '../plumbing/follow.ts'

/** The messages of the P-Chain about validators of L1s, by the transaction that caused them; null for other transactions. */
export type L1Messages = ReadonlyMap<string, L1Message | null>

/** Transactions with a message about an L1, in chain order. */
export function saying(messages: L1Messages): string[] {
  return [...messages].flatMap(([txId, message]) => (message === null ? [] : [txId]))
}

/** Returns the messages of all P-Chain transactions up to the head, by CB58 id. */
export function l1MessagesOf(store: ContainerStore): () => Promise<L1Messages> {
  return createFollower(store, new Map<string, L1Message | null>(), (messages, { bytes, index }) => {
    const { block } = unwrap(bytes)
    const { value, spans } = decodeWithSpans(pBlock, block, `block ${index + 1}`)
    const txs = [...('txs' in value ? value.txs : []), ...('tx' in value ? [value.tx] : [])]
    txs.forEach(({ unsignedTx }, at) => {
      messages.set(idText(txIdInBlock(block.subarray(spans[2 * at], spans[2 * at + 1]))), messageOf(unsignedTx))
    })
  })
}

/** The P-Chain's message after a transaction: about a conversion, a registration, or an accepted weight. */
function messageOf(tx: UnsignedPTx): L1Message | null {
  if (tx.type === 'ConvertSubnetToL1Tx') {
    const validators = tx.validators.map(({ nodeID, signer, weight }) => {
      return { nodeID, blsPublicKey: signer.publicKey, weight }
    })
    const conversion = { subnetID: tx.subnetID, managerChainID: tx.chainID, managerAddress: tx.address, validators }
    return { type: 'warp.SubnetToL1Conversion', id: conversionId(conversion) }
  }
  if (tx.type !== 'RegisterL1ValidatorTx' && tx.type !== 'SetL1ValidatorWeightTx') return null
  const { payload, value } = decodeL1Call(tx.message, 'message')
  if (value.type !== 'warp.L1ValidatorWeight')
    return { type: 'warp.L1ValidatorRegistration', validationID: sha256(payload), registered: true }
  if (value.weight > 0n) return value
  return { type: 'warp.L1ValidatorRegistration', validationID: value.validationID, registered: false }
}
