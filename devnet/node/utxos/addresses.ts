import { bech32 } from '@scure/base'
import { addressText } from '../../../codec/ids.ts'
import { MethodError } from '../../http/parameters.ts'
import { chainTexts, hrp } from '../../network/genesis.ts'
import type { ChainAlias } from '../../network/shared-memory.ts'

/**
 * An address of the network: its bech32 text without chain prefix, and its bytes as hex, which determine the order of addresses in a node.
 */
export type LocalAddress = { readonly text: string; readonly hex: string }

/** Reads an address with a chain prefix. `name`: name of the chain if it differs from the alias. Throws the error of the node. */
export function readAddress(chain: ChainAlias, given: string, name: string = chain): LocalAddress {
  const refuse = (why: string): never => {
    throw new MethodError(`couldn't parse address ${JSON.stringify(given)}: ${why}`)
  }
  const dash = given.indexOf('-')
  if (dash < 0) return refuse('no separator found in address')
  const [prefix, text] = [given.slice(0, dash), given.slice(dash + 1)]
  const { mistake, decoded } = readBech32(text)
  if (decoded === null) return refuse(mistake)
  const named = prefix === name ? chain : chainNamed(prefix)
  if (named === null) return refuse(`there is no ID with alias: ${prefix}`)
  if (named !== chain) {
    return refuse(`mismatched chainIDs: expected ${JSON.stringify(chainTexts[chain])} but got ${chainTexts[named]}`)
  }
  if (decoded.prefix !== hrp)
    return refuse(`expected hrp ${JSON.stringify(hrp)} but got ${JSON.stringify(decoded.prefix)}`)
  return { text: addressText(hrp, decoded.bytes), hex: Buffer.from(decoded.bytes).toString('hex') }
}

/** Removes duplicate addresses and sorts them by their bytes. */
export function inOrder(addresses: readonly LocalAddress[]): LocalAddress[] {
  const unique = new Map(addresses.map((address) => [address.hex, address]))
  return [...unique.values()].sort((a, b) => (a.hex < b.hex ? -1 : 1))
}

/** The chain of an alias or an id. */
export function chainNamed(text: string): ChainAlias | null {
  const found = Object.entries(chainTexts).find(([alias, id]) => alias === text || id === text)
  return found === undefined ? null : (found[0] as ChainAlias)
}

const leastAfterSeparator = 6

function readBech32(text: string) {
  const at = text.lastIndexOf('1')
  if (at < 1 || at + leastAfterSeparator >= text.length)
    return { mistake: `invalid separator index ${at}`, decoded: null }
  try {
    const decoded = bech32.decodeToBytes(text)
    return { mistake: 'invalid length', decoded: decoded.bytes.length === 20 ? decoded : null }
  } catch {
    return { mistake: 'invalid checksum', decoded: null }
  }
}
