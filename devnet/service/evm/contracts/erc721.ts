import { selectors } from '../../../c/abi.ts'
import { type Contract, type Log, moved, zeroAddress } from './contract.ts'

type Erc721 = Contract & {
  /** The owner of a token; null if it was never minted or has been burned. */
  ownerOf(tokenId: bigint): string | null
}

/** An ERC-721 contract. Any account may mint, each id once; only the owner of a token moves or burns it. */
export function createErc721(): Erc721 {
  /** The zero address owns burned tokens. */
  const owners = new Map<bigint, string>()
  const move = (from: string, to: string, tokenId: bigint): readonly Log[] => {
    owners.set(tokenId, to)
    return [moved([{ from, to, tokenId, value: 1n }])]
  }
  const transfer = (sender: string, from: string, to: string, tokenId: bigint): readonly Log[] | null => {
    return owners.get(tokenId) !== from || sender !== from || to === zeroAddress ? null : move(from, to, tokenId)
  }
  return {
    ownerOf: (tokenId) => {
      const owner = owners.get(tokenId)
      return owner === undefined || owner === zeroAddress ? null : owner
    },
    call: (sender, input) => {
      switch (input.selector) {
        case selectors.mint:
          return owners.has(input.number(1)) ? null : move(zeroAddress, input.address(0), input.number(1))
        case selectors.burn:
          return owners.get(input.number(0)) === sender ? move(sender, zeroAddress, input.number(0)) : null
        case selectors.transferFrom:
        case selectors.safeTransfer:
        case selectors.safeTransferData:
          return transfer(sender, input.address(0), input.address(1), input.number(2))
        default:
          return null
      }
    },
  }
}
