import { keccak256 } from '../../../codec/keccak.ts'
import { type TokenContract, tokenContracts } from '../../c/contracts.ts'

/** Accounts have no code. */
const noCode = new Uint8Array()

/** The code of an address. Token contracts have placeholder code, which is never executed. */
export function codeOf(address: string): Uint8Array {
  const token = tokenNamed(address)
  return token === null ? noCode : Buffer.from(`6080604052${Buffer.from(token.name).toString('hex')}00`, 'hex')
}

export function codeHashOf(address: string): Uint8Array {
  return keccak256(codeOf(address))
}

/** The token contract at an address; null if there is none. */
export function tokenNamed(address: string): TokenContract | null {
  return tokenContracts.find((token) => token.address === address) ?? null
}
