import { keccak256 } from '../../../../codec/keccak.ts'
import { type TokenContract, tokenContracts } from '../../../c/contracts.ts'

const contracts = new Map(tokenContracts.map((token) => [token.address, token]))
const shown = new Map<string, string>()
/** Maximum number of cached addresses, more than the simulation has. */
const most = 10_000

/** An address with the checksum in its capitals (EIP-55), as the service writes it. */
export function shownAddress(address: string): string {
  const known = shown.get(address)
  if (known !== undefined) return known
  const digits = address.slice(2)
  const hash = Buffer.from(keccak256(Buffer.from(digits, 'latin1'))).toString('hex')
  const text = [...digits].map((digit, at) => (Number.parseInt(hash[at]!, 16) >= 8 ? digit.toUpperCase() : digit))
  const result = `0x${text.join('')}`
  if (shown.size < most) shown.set(address, result)
  return result
}

export function logoOf({ symbol }: TokenContract): string {
  return `https://devnet.example/logos/${symbol.toLowerCase()}.png`
}

/** A party of a transfer: the address, and for a token contract also its description. */
export function partyOf(address: string): object {
  const token = contracts.get(address)
  if (token === undefined) return { address: shownAddress(address) }
  const { name, symbol, decimals } = token
  return { name, symbol, decimals, logoUri: logoOf(token), address: shownAddress(address) }
}
