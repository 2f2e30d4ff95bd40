import { nodeIdBytes } from '../../../codec/ids.ts'
import { evmChainId } from '../../c/state.ts'
import { chainTexts } from '../../network/genesis.ts'
import { type Reader, type Rules, text } from './rules.ts'

/** Rules of the parts of paths, by name. A route can declare its own rules. */

const networks = ['mainnet', 'fuji', 'testnet']
const network: Reader<string> = {
  read: (given) => (networks.includes(given) ? given : null),
  says: `must be one of the following values: ${networks.join(', ')}`,
}

/** Chains of the primary network by alias: `P`, `X` and `C`. */
export type ChainAlias = keyof typeof chainTexts

/** Reads `p-chain`, `x-chain`, `c-chain` and the ids of the simulated chains, limited to `aliases`. */
export function blockchainReader(aliases: readonly ChainAlias[]): Reader<ChainAlias> {
  const names = new Map<string, ChainAlias>(
    aliases.flatMap((alias) => [[`${alias.toLowerCase()}-chain`, alias] as const, [chainTexts[alias], alias] as const]),
  )
  return {
    read: (given) => names.get(given) ?? null,
    says: `must be one of the following values: ${[...names.keys()].join(', ')}`,
  }
}

/** The EVM chain by its number or its blockchain id. Any other number or id is well-formed but unknown. */
const evmChain: Reader<string> = {
  read: (given) => {
    if (given === chainTexts.C) return String(evmChainId)
    return /^(\d{1,20}|[1-9A-HJ-NP-Za-km-z]{40,60})$/.test(given) ? given : null
  },
  says: 'must be an EVM chain id or a blockchain id',
}

/** A 0x address, in lower case. */
export const evmAddress: Reader<string> = {
  read: (given) => (/^0x[0-9a-fA-F]{40}$/.test(given) ? given.toLowerCase() : null),
  says: 'must be an Ethereum address',
}

/** A node of the primary network: 20 bytes with a valid checksum. */
export const nodeId: Reader<string> = {
  read: (given) => {
    try {
      return nodeIdBytes(given).length === 20 ? given : null
    } catch {
      return null
    }
  },
  says: 'must be a node id',
}

/**
 * Rules of the parts by name. `network` is passed as the request wrote it, `blockchainId` as `P`, `X` or `C`, `chainId` as the decimal
 * number of the simulated EVM chain, `address` in lower case.
 */
export const partRules = {
  network: text(network, { required: true }),
  blockchainId: text(blockchainReader(['P', 'X', 'C']), { required: true }),
  chainId: text(evmChain, { required: true }),
  address: text(evmAddress, { required: true }),
  nodeId: text(nodeId, { required: true }),
} as const satisfies Rules
