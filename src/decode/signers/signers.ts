import { recoverPublicKey } from '../../../codec/secp256k1/index.ts'
import { createCCredentialReader } from '../c/credentials.ts'
import { createPCredentialReader } from '../p/credentials.ts'
import { createXCredentialReader, createXTransactionCredentialReader } from '../x/credentials.ts'

/**
 * Read credentials with the public keys and addresses that are recovered from their signatures. This is a separate file, because it loads
 * the library of the curve.
 */
export const decodePSigners = createPCredentialReader(recoverPublicKey)
export const decodeXSigners = createXCredentialReader(recoverPublicKey)
export const decodeCSigners = createCCredentialReader(recoverPublicKey)
export const decodeXTransactionSigners = createXTransactionCredentialReader(recoverPublicKey)
