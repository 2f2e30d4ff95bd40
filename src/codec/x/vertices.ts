import { bytes, id, list, struct, u32, u64, type ValueOf, versions } from '../linear/index.ts'

/**
 * A vertex from before Cortina; version 1 is the last one of a chain. `txs` are whole signed transactions (`signedXTx`).
 * Its id is the sha256 of its bytes.
 */
export const xVertex = versions('vertex', {
  0: struct('Vertex', { chainID: id, height: u64, epoch: u32, parentIDs: list(id), txs: list(bytes) }),
  1: struct('StopVertex', { chainID: id, height: u64, parentIDs: list(id) }),
})
export type XVertex = ValueOf<typeof xVertex>
