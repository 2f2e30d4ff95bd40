import { t } from '../../src/define/index.ts'

/** One signature of a transaction: its position and its signer. */
export const credentialColumns = {
  credential_index: t.int64(
    'Position among the credentials of the transaction: those of ordinary inputs, then of imported ones, then of operations, then authorizations.',
  ),
  signature_index: t.int64(
    'Position in the credential; signature_indices of the input has the index of the owner at the same position.',
  ),
  fx_id: t.address('Id of the feature extension that checks the credential.'),
  signature: t.blob('Signature, 65 bytes: r, s and the recovery id. It signs the sha256 of the unsigned transaction.'),
  public_key: t.hex(
    'Public key of the signer, compressed, 33 bytes; null without --signers, and when the signature yields no key.',
    { nullable: true },
  ),
  address: t.address('Address of the public key, bech32 without chain prefix; null when public_key is null.', {
    nullable: true,
  }),
}
