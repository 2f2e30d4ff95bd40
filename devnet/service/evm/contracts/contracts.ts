import { type TokenContract, tokenContracts } from '../../../c/contracts.ts'
import type { Contract } from './contract.ts'
import { createErc20 } from './erc20.ts'
import { createErc721 } from './erc721.ts'
import { createErc1155 } from './erc1155.ts'

/** A contract of the chain with its description. */
export type Deployed = Contract & {
  readonly token: TokenContract
  /** The owner of a token; null if it has none, and for standards other than ERC-721. */
  ownerOf(tokenId: bigint): string | null
}

const makers = { 'ERC-20': createErc20, 'ERC-721': createErc721, 'ERC-1155': createErc1155 }

/** Creates every token contract, without tokens. */
export function deployContracts(): ReadonlyMap<string, Deployed> {
  return new Map(
    tokenContracts.map((token) => {
      return [token.address, { ownerOf: () => null, ...makers[token.standard](), token }]
    }),
  )
}
