import { bytes, list, type Schema, struct, text, u64, type ValueOf, versioned } from '../../../codec/linear.ts'
import { pTx, pUtxo } from '../../../codec/p.ts'

/** The genesis of a network. Its sha256 is the parent of the genesis block (wire-format.md 1.2). `timestamp` is in Unix seconds. */
const genesisBody = struct('Genesis', {
  utxos: list(struct('GenesisUTXO', { ...pUtxo.fields, message: bytes })),
  validators: list(pTx),
  chains: list(pTx),
  timestamp: u64,
  initialSupply: u64,
  message: text,
})
export type PGenesis = ValueOf<typeof genesisBody>

export const pGenesis: Schema<PGenesis> = versioned(genesisBody)
