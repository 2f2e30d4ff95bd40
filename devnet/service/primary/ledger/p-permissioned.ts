import { idText, nodeIdText } from '../../../../codec/ids.ts'
import type { UnsignedPTx } from '../../../../codec/p.ts'
import type { Journal } from './journal.ts'
import type { PermissionedValidator } from './validators.ts'

/** Records the validators that an accepted transaction of a subnet's owner adds or removes. */
export function changePermissioned(
  { permissioned, permissions }: Pick<Journal, 'permissioned' | 'permissions'>,
  tx: UnsignedPTx,
  txId: string,
  blockTime: number,
): void {
  if (tx.type === 'RemoveSubnetValidatorTx') {
    const key = keyOf(idText(tx.subnetID), nodeIdText(tx.nodeID))
    const removed = permissioned.get(key)
    if (removed !== undefined) removed.removal = { txId, time: blockTime }
    permissioned.delete(key)
    return
  }
  if (tx.type !== 'AddSubnetValidatorTx') return
  const { nodeID, subnetID, start, end, weight } = tx.validator
  const [subnetId, nodeId] = [idText(subnetID), nodeIdText(nodeID)]
  const validator: PermissionedValidator = {
    txId,
    nodeId,
    subnetId,
    // Until Durango, the transaction states the start. Since then, it states the time of the block, or 0.
    start: start === 0n ? blockTime : Number(start),
    end: Number(end),
    weight,
    removal: null,
  }
  permissioned.set(keyOf(subnetId, nodeId), validator)
  permissions.set(txId, validator)
}

function keyOf(subnetId: string, nodeId: string): string {
  return `${subnetId} ${nodeId}`
}
