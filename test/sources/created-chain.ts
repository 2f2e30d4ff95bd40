import { sha256 } from '../../codec/hash.ts'
import { encodeCb58 } from '../../codec/ids.ts'
import { encode } from '../../codec/linear.ts'
import { type PTx, signedPTx } from '../../codec/p.ts'

/** The fields of every transaction. */
export const base = {
  networkID: 12345,
  blockchainID: new Uint8Array(32),
  outputs: [],
  inputs: [],
  memo: new Uint8Array(),
}

function named(name: string): Uint8Array {
  const id = new Uint8Array(32)
  id.set(Buffer.from(name))
  return id
}

/** The CreateChainTx of an asset VM chain with these feature extensions, and the id of that chain. */
export function createChain(fxs: readonly string[]): { bytes: Uint8Array; id: string } {
  const unsignedTx: PTx['unsignedTx'] = {
    type: 'CreateChainTx',
    ...base,
    subnetID: new Uint8Array(32).fill(1),
    chainName: 'assets',
    vmID: named('avm'),
    fxIDs: fxs.map(named),
    genesisData: new Uint8Array(),
    subnetAuthorization: { type: 'secp256k1fx.Input', signatureIndices: [0] },
  }
  const bytes = encode(signedPTx, { unsignedTx, credentials: [] })
  return { bytes, id: encodeCb58(sha256(bytes)) }
}

/** The answer of `platform.getTx` with `encoding: hex`. */
export function txAnswer(bytes: Uint8Array): { readonly tx: string; readonly encoding: 'hex' } {
  const checked = Buffer.concat([bytes, sha256(bytes).subarray(-4)])
  return { tx: `0x${checked.toString('hex')}`, encoding: 'hex' }
}
