import type { Calldata } from '../../c/abi.ts'
import { inputOf, selectorOf, selectors } from '../../c/abi.ts'
import { mostOfToken, type TokenContract } from '../../c/contracts.ts'
import { zeroAddress } from './contracts.ts'
import type { EvmState, EvmTransaction, EvmTransfer } from './state.ts'

/** A token after a block, for read-only calls of its contract. */
type TokenView = {
  readonly token: TokenContract
  readonly transfers: readonly EvmTransfer[]
  /** Successful calls of the token, oldest first. */
  readonly calls: () => readonly EvmTransaction[]
}

/** A token of the chain after a block. */
export function tokenAt(state: EvmState, token: TokenContract, blockNumber: number): TokenView {
  const transfers = state.transfersOf(token.address).filter(({ block }) => block.number <= blockNumber)
  const calls = () =>
    state.transactions.filter(
      ({ block, result }) => block.number <= blockNumber && result.called?.token.address === token.address,
    )
  return { token, transfers, calls }
}

type View = (token: TokenView, input: Calldata) => bigint | string | null

const views: Readonly<Record<TokenContract['standard'], Readonly<Record<string, View>>>> = {
  'ERC-20': {
    [selectorOf('name()')]: ({ token }) => token.name,
    [selectorOf('symbol()')]: ({ token }) => token.symbol,
    [selectorOf('decimals()')]: ({ token }) => BigInt(token.decimals),
    [selectorOf('totalSupply()')]: (token) => supplyOf(token),
    [selectorOf('balanceOf(address)')]: (token, input) => heldBy(token, input.address(0)),
    [selectorOf('allowance(address,address)')]: (token, input) =>
      allowanceOf(token, { owner: input.address(0), spender: input.address(1) }),
  },
  'ERC-721': {
    [selectorOf('name()')]: ({ token }) => token.name,
    [selectorOf('symbol()')]: ({ token }) => token.symbol,
    [selectorOf('balanceOf(address)')]: (token, input) => heldBy(token, input.address(0)),
    [selectorOf('ownerOf(uint256)')]: (token, input) => ownerOf(token, input.number(0)),
  },
  'ERC-1155': {
    [selectorOf('name()')]: ({ token }) => token.name,
    [selectorOf('symbol()')]: ({ token }) => token.symbol,
    [selectorOf('balanceOf(address,uint256)')]: (token, input) => heldBy(token, input.address(0), input.number(1)),
  },
}

/** The return value of a read-only call of a token; null if the call reverts. */
export function readToken(token: TokenView, input: Calldata): Uint8Array | null {
  const view = views[token.token.standard][input.selector]
  const value = view === undefined ? null : view(token, input)
  if (value === null) return null
  return inputOf('', [typeof value === 'string' ? { bytes: new TextEncoder().encode(value) } : value])
}

/** The balance that a contract returns: its mapping has none of the zero address, which stands for minting and burning. */
function heldBy(token: TokenView, wallet: string, tokenId?: bigint): bigint {
  return wallet === zeroAddress ? 0n : balanceOf(token, wallet, tokenId)
}

/** The balance of a wallet: of one id for an ERC-1155, of all tokens for the other standards. */
function balanceOf({ transfers }: TokenView, wallet: string, tokenId?: bigint): bigint {
  let balance = 0n
  for (const transfer of transfers) {
    if (tokenId !== undefined && transfer.tokenId !== tokenId) continue
    if (transfer.from === wallet) balance -= transfer.value
    if (transfer.to === wallet) balance += transfer.value
  }
  return balance
}

type Grant = { readonly owner: string; readonly spender: string }

/** The part of the last approval that the spender has not used. An approval of the largest amount is not used up. */
function allowanceOf({ calls }: TokenView, grant: Grant): bigint {
  let left = 0n
  for (const call of calls()) {
    if (left !== mostOfToken) left -= spentBy(call, grant)
    left = approvedBy(call, grant) ?? left
  }
  return left
}

function spentBy({ from, selector, result }: EvmTransaction, { owner, spender }: Grant): bigint {
  if (from !== spender || selector !== `0x${selectors.transferFrom}`) return 0n
  const moves = result.called!.logs.flatMap((log) => log.moves.filter((move) => move.from === owner))
  return moves.reduce((sum, { value }) => sum + value, 0n)
}

function approvedBy({ result }: EvmTransaction, { owner, spender }: Grant): bigint | null {
  const log = result.called!.logs.findLast(({ approval }) => approval?.owner === owner && approval.spender === spender)
  return log?.approval?.value ?? null
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
function supplyOf(token: TokenView): bigint {
  return -balanceOf(token, zeroAddress)
}

/** The owner of a token as a number; null for a token without an owner, so that the call reverts. */
function ownerOf({ transfers }: TokenView, tokenId: bigint): bigint | null {
  const last = transfers.findLast((transfer) => transfer.tokenId === tokenId)
  return last === undefined || last.to === zeroAddress ? null : BigInt(last.to)
}
