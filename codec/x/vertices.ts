import { bytes, id, list, struct, u32, u64, type ValueOf, versions } from '../linear/index.ts'

/**
 * A vertex from before Cortina. The last vertex of a chain has version 1. `txs` are whole signed transactions (`signedXTx`). The sha256 of
 * its bytes is its id.
 */
export const xVertex = versions('vertex', {
  0: struct('Vertex', { chainID: id, height: u64, epoch: u32, parentIDs: list(id), txs: list(bytes) }),
  1: struct('StopVertex', { chainID: id, height: u64, parentIDs: list(id) }),
})
export type XVertex = ValueOf<typeof xVertex>
