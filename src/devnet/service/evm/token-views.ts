import { inputOf, selectorOf } from '../../c/abi.ts'
import type { TokenContract } from '../../c/contracts.ts'
import type { Calldata } from './contracts/calldata.ts'
import { zeroAddress } from './contracts/contract.ts'
import type { EvmState, EvmTransfer } from './state.ts'

/** A token after a block, for read-only calls of its contract. */
export type TokenView = { readonly token: TokenContract; readonly transfers: readonly EvmTransfer[] }

/** A token of the chain after a block. */
export function tokenAt(state: EvmState, token: TokenContract, blockNumber: number): TokenView {
  const transfers = state.transfersOf(token.address).filter(({ block }) => block.number <= blockNumber)
  return { token, transfers }
}

type View = (token: TokenView, input: Calldata) => bigint | string | null

const views: Readonly<Record<TokenContract['standard'], Readonly<Record<string, View>>>> = {
  'ERC-20': {
    [selectorOf('name()')]: ({ token }) => token.name,
    [selectorOf('symbol()')]: ({ token }) => token.symbol,
    [selectorOf('decimals()')]: ({ token }) => BigInt(token.decimals),
    [selectorOf('totalSupply()')]: (token) => supplyOf(token),
    [selectorOf('balanceOf(address)')]: (token, input) => balanceOf(token, input.address(0)),
  },
  'ERC-721': {
    [selectorOf('name()')]: ({ token }) => token.name,
    [selectorOf('symbol()')]: ({ token }) => token.symbol,
    [selectorOf('balanceOf(address)')]: (token, input) => balanceOf(token, input.address(0)),
    [selectorOf('ownerOf(uint256)')]: (token, input) => ownerOf(token, input.number(0)),
  },
  'ERC-1155': {
    [selectorOf('name()')]: ({ token }) => token.name,
    [selectorOf('symbol()')]: ({ token }) => token.symbol,
    [selectorOf('balanceOf(address,uint256)')]: (token, input) => balanceOf(token, input.address(0), input.number(1)),
  },
}

/** The return value of a read-only call of a token; null if the call reverts. */
export function readToken(token: TokenView, input: Calldata): Uint8Array | null {
  const view = views[token.token.standard][input.selector]
  const value = view === undefined ? null : view(token, input)
  if (value === null) return null
  return inputOf('', [typeof value === 'string' ? { bytes: new TextEncoder().encode(value) } : value])
}

/** The balance of a wallet: of one id for an ERC-1155, of all tokens for the other standards. */
export function balanceOf({ transfers }: TokenView, wallet: string, tokenId?: bigint): bigint {
  let balance = 0n
  for (const transfer of transfers) {
    if (tokenId !== undefined && transfer.tokenId !== tokenId) continue
    if (transfer.from === wallet) balance -= transfer.value
    if (transfer.to === wallet) balance += transfer.value
  }
  return balance
}

/** All balances of an ERC-20. The zero address has a negative balance: the minted amount. */
export function balancesOf({ transfers }: TokenView): ReadonlyMap<string, bigint> {
  const balances = new Map<string, bigint>()
  for (const { from, to, value } of transfers) {
    balances.set(from, (balances.get(from) ?? 0n) - value)
    balances.set(to, (balances.get(to) ?? 0n) + value)
  }
  return balances
}

/** The amount that has been minted and not burned. */
export function supplyOf(token: TokenView): bigint {
  return -balanceOf(token, zeroAddress)
}

/** The owner of a token as a number; null for a token without an owner, so that the call reverts. */
function ownerOf({ transfers }: TokenView, tokenId: bigint): bigint | null {
  const last = transfers.findLast((transfer) => transfer.tokenId === tokenId)
  return last === undefined || last.to === zeroAddress ? null : BigInt(last.to)
}
