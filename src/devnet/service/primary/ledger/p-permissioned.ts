import { idText } from '../../../../codec/cb58.ts'
import { nodeIdText } from '../../../../codec/node-id.ts'
import type { UnsignedPTx } from '../../../../codec/p/transactions.ts'
import type { PermissionedValidator } from './validators.ts'

/** Enters what an accepted transaction changes of the validators that owners of subnets add and remove. */
export function changePermissioned(
  validators: Map<string, PermissionedValidator>,
  tx: UnsignedPTx,
  txId: string,
  blockTime: number,
): void {
  if (tx.type === 'RemoveSubnetValidatorTx') {
    validators.delete(keyOf(idText(tx.subnetID), nodeIdText(tx.nodeID)))
    return
  }
  if (tx.type !== 'AddSubnetValidatorTx') return
  const { nodeID, subnetID, start, end, weight } = tx.validator
  const [subnetId, nodeId] = [idText(subnetID), nodeIdText(nodeID)]
  validators.set(keyOf(subnetId, nodeId), {
    txId,
    nodeId,
    subnetId,
    // A start is stated until Durango; since then it is the block's, or nothing.
    start: start === 0n ? blockTime : Number(start),
    end: Number(end),
    weight,
  })
}

function keyOf(subnetId: string, nodeId: string): string {
  return `${subnetId} ${nodeId}`
}
