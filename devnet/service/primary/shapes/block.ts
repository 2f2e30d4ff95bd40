import type { ProposedBlock, Vertex } from '../ledger/model.ts'

/** A block of the primary network with its proposer (specification 2.5). */
export function proposedBlockShape({ place, parentId, type, txIds, bytes, state, proposer }: ProposedBlock): object {
  return {
    blockNumber: place.height.toString(),
    blockHash: place.blockId,
    parentHash: parentId,
    blockTimestamp: place.time,
    blockType: type,
    txCount: txIds.length,
    transactions: txIds,
    blockSizeBytes: bytes,
    ...(state === null
      ? {}
      : {
          l1ValidatorsAccruedFees: Number(state.l1Fees),
          activeL1Validators: state.l1Validators,
          currentSupply: state.supply.toString(),
        }),
    proposerDetails: {
      proposerId: proposer.containerId,
      proposerParentId: proposer.parentContainerId,
      proposerNodeId: proposer.nodeId,
      proposerPChainHeight: proposer.pHeight,
      proposerTimestamp: proposer.time,
    },
  }
}

/** A vertex of the X-Chain (specification 2.4). */
export function vertexShape({ id, parentIds, height, index, time, txIds, bytes }: Vertex): object {
  return {
    vertexHash: id,
    parentHashes: parentIds,
    vertexHeight: height,
    vertexIndex: index,
    vertexTimestamp: time,
    txCount: txIds.length,
    transactions: txIds,
    vertexSizeBytes: bytes,
  }
}
