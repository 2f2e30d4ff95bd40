import { addressText } from '../../codec/bech32.ts'
import type { RecoverKey } from '../../codec/secp256k1/recover-key.ts'
import { addressOfKey, credentialsLength, signerKey } from '../../codec/signers.ts'
import { fxIdOfType } from '../../codec/x/fxs.ts'
import { hexText } from './texts.ts'

type Credential = { readonly type: string; readonly signatures: readonly Uint8Array[] }

/** The transaction that the credentials sign. */
type SignedBytes = {
  /** With its credentials, as inside a block or as a whole transaction. */
  readonly bytes: Uint8Array
  /** Returns the sha256 of the signed bytes. `unsigned` is the transaction without its credentials. */
  readonly hash: (unsigned: Uint8Array) => Uint8Array
  readonly hrp: string
}

/** Returns a cell for each signature, in the order of the credentials. Without `recover`, public keys and addresses are null. */
export function signatureCells(
  credentials: readonly Credential[],
  { bytes, hash, hrp }: SignedBytes,
  recover: RecoverKey | null,
) {
  const unsigned = bytes.subarray(0, bytes.length - credentialsLength(credentials))
  const signed = recover === null || credentials.length === 0 ? null : hash(unsigned)
  return credentials.flatMap(({ type, signatures }, credential) =>
    signatures.map((signature, position) => {
      const key = signed === null || recover === null ? null : signerKey(signed, signature, recover)
      return {
        credential_index: credential,
        signature_index: position,
        fx_id: fxIdOfType(type),
        // A copy, because a view would send the whole container to the writer thread.
        signature: signature.slice(),
        public_key: key === null ? null : hexText(key),
        address: key === null ? null : addressText(hrp, addressOfKey(key)),
      }
    }),
  )
}
