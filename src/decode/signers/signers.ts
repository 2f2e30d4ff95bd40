import { recoverPublicKey } from '../../codec/secp256k1/index.ts'
import { createPCredentialReader } from '../p/credentials.ts'
import { createXCredentialReader, createXTransactionCredentialReader } from '../x/credentials.ts'

/** Credentials with the public keys and addresses that are recovered from their signatures. Apart, since it loads a curve. */
export const decodePSigners = createPCredentialReader(recoverPublicKey)
export const decodeXSigners = createXCredentialReader(recoverPublicKey)
export const decodeXTransactionSigners = createXTransactionCredentialReader(recoverPublicKey)
