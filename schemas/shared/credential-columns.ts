import { t } from '../../src/define/index.ts'

/** One signature of a transaction: where it stands, and who made it. */
export const credentialColumns = {
  credential_index: t.int64(
    'Position among the credentials of the transaction: inputs in their order, imported ones and those of operations counted on, then authorizations.',
  ),
  signature_index: t.int64('Position in the credential: that of the owner in signature_indices of the input.'),
  fx_id: t.address('Id of the feature extension that checks the credential.'),
  signature: t.blob(
    '65 bytes: r, s, and which of the possible keys it is. It signs the sha256 of the unsigned transaction.',
  ),
  public_key: t.hex(
    'Public key that made the signature, compressed, 33 bytes; null without --signers, or when no key can have made it.',
    { nullable: true },
  ),
  address: t.address('Address of the public key, bech32 without chain prefix; null where the key is.', {
    nullable: true,
  }),
}
