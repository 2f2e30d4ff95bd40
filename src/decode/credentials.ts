import { addressText } from '../codec/bech32.ts'
import type { RecoverKey } from '../codec/secp256k1/recover-key.ts'
import { addressOfKey, credentialsLength, signerKey } from '../codec/signers.ts'
import { fxIdOfType } from '../codec/x/fxs.ts'
import { hexText } from './texts.ts'

type Credential = { readonly type: string; readonly signatures: readonly Uint8Array[] }

/** The transaction that credentials stand behind. */
export type SignedBytes = {
  /** With its credentials, as it stands in a block or on its own. */
  readonly bytes: Uint8Array
  /** The sha256 of what is signed, from the bytes without the credentials. */
  readonly hash: (unsigned: Uint8Array) => Uint8Array
  readonly hrp: string
}

/** A cell for each signature, in the order of the credentials; without `recover` nothing says who made them. */
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
        // A view would take the whole container to the thread that writes.
        signature: signature.slice(),
        public_key: key === null ? null : hexText(key),
        address: key === null ? null : addressText(hrp, addressOfKey(key)),
      }
    }),
  )
}
