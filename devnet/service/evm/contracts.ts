import { type Calldata, readCalldata, selectors } from '../../c/abi.ts'
import { mostOfToken, type TokenContract, tokenContracts } from '../../c/contracts.ts'

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

/** The logs of a call. Null if it reverts, also because its input cannot be decoded. */
export function logsOf(
  contract: Deployed,
  sender: string,
  { input }: { readonly input: Uint8Array },
): readonly Log[] | null {
  try {
    return contract.call(sender, readCalldata(input))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** A token movement of an event. The zero address stands for minting and burning. */
type Move = {
  readonly from: string
  readonly to: string
  /** Null for an ERC-20. */
  readonly tokenId: bigint | null
  readonly value: bigint
}

/** A permission of an owner for a spender to move tokens. */
type Approval = { readonly owner: string; readonly spender: string; readonly value: bigint }

/** An event of a contract: its transfers, or an approval. */
export type Log = { readonly moves: readonly Move[]; readonly approval: Approval | null }

/** A token contract with its storage. */
type Contract = {
  /** Applies a call and returns its events in order. Returns null if the call reverts and changes nothing. */
  call(sender: string, input: Calldata): readonly Log[] | null
}

/** An event with transfers. */
export function moved(moves: readonly Move[]): Log {
  return { moves, approval: null }
}

export const zeroAddress = '0x0000000000000000000000000000000000000000'

/**
 * An ERC-20 contract. Any account may mint, up to the largest number of a word. A transfer of more than the balance reverts, and so does a
 * transfer of another owner's tokens beyond the allowance. An allowance of the largest amount is not used up.
 */
export function createErc20(): Contract {
  const balances = new Map<string, bigint>()
  const allowances = new Map<string, bigint>()
  let supply = 0n
  const balanceOf = (wallet: string): bigint => balances.get(wallet) ?? 0n
  const move = (from: string, to: string, value: bigint): Log => {
    if (from === zeroAddress) supply += value
    else balances.set(from, balanceOf(from) - value)
    if (to === zeroAddress) supply -= value
    else balances.set(to, balanceOf(to) + value)
    return moved([{ from, to, tokenId: null, value }])
  }
  const transfer = (from: string, to: string, value: bigint): readonly Log[] | null => {
    return balanceOf(from) < value || to === zeroAddress ? null : [move(from, to, value)]
  }
  const batch = (from: string, receivers: readonly string[], value: bigint): readonly Log[] | null => {
    if (balanceOf(from) < value * BigInt(receivers.length) || receivers.includes(zeroAddress)) return null
    return receivers.map((to) => move(from, to, value))
  }
  const spend = (spender: string, from: string, to: string, value: bigint): readonly Log[] | null => {
    const allowed = allowances.get(from + spender) ?? 0n
    if (allowed < value) return null
    const logs = transfer(from, to, value)
    if (logs !== null && allowed !== mostOfToken) allowances.set(from + spender, allowed - value)
    return logs
  }
  return {
    call: (sender, input) => {
      switch (input.selector) {
        case selectors.mint:
          return supply + input.number(1) > mostOfToken ? null : [move(zeroAddress, input.address(0), input.number(1))]
        case selectors.burn:
          return balanceOf(sender) < input.number(0) ? null : [move(sender, zeroAddress, input.number(0))]
        case selectors.transfer:
          return transfer(sender, input.address(0), input.number(1))
        case selectors.batchTransfer:
          return batch(sender, input.addresses(0), input.number(1))
        case selectors.transferFrom:
          return spend(sender, input.address(0), input.address(1), input.number(2))
        case selectors.approve:
          allowances.set(sender + input.address(0), input.number(1))
          return [{ moves: [], approval: { owner: sender, spender: input.address(0), value: input.number(1) } }]
        default:
          return null
      }
    },
  }
}

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

type Amount = { readonly tokenId: bigint; readonly value: bigint }

/** An ERC-1155 contract. Any account may mint; only the owner of a token moves or burns it. A batch is one event. */
export function createErc1155(): Contract {
  const balances = new Map<string, bigint>()
  const balanceOf = (wallet: string, tokenId: bigint): bigint => balances.get(`${wallet} ${tokenId}`) ?? 0n
  const change = (wallet: string, tokenId: bigint, by: bigint): void => {
    if (wallet !== zeroAddress) balances.set(`${wallet} ${tokenId}`, balanceOf(wallet, tokenId) + by)
  }
  const move = (from: string, to: string, amounts: readonly Amount[]): readonly Log[] => {
    for (const { tokenId, value } of amounts) {
      change(from, tokenId, -value)
      change(to, tokenId, value)
    }
    return [moved(amounts.map((amount) => ({ from, to, ...amount })))]
  }
  const give = (sender: string, from: string, to: string, amounts: readonly Amount[]): readonly Log[] | null => {
    const needed = new Map<bigint, bigint>()
    for (const { tokenId, value } of amounts) needed.set(tokenId, (needed.get(tokenId) ?? 0n) + value)
    const enough = [...needed].every(([tokenId, value]) => balanceOf(from, tokenId) >= value)
    return sender === from && enough ? move(from, to, amounts) : null
  }
  return {
    call: (sender, input) => {
      const single = (position: number): Amount[] => {
        return [{ tokenId: input.number(position), value: input.number(position + 1) }]
      }
      switch (input.selector) {
        case selectors.mintOf:
          return move(zeroAddress, input.address(0), single(1))
        case selectors.mintBatch:
          return move(zeroAddress, input.address(0), paired(input.numbers(1), input.numbers(2)))
        case selectors.burnOf:
          return give(sender, input.address(0), zeroAddress, single(1))
        case selectors.safeTransferOf:
          return give(sender, input.address(0), input.address(1), single(2))
        case selectors.safeBatchTransfer:
          return give(sender, input.address(0), input.address(1), paired(input.numbers(2), input.numbers(3)))
        default:
          return null
      }
    },
  }
}

function paired(ids: readonly bigint[], values: readonly bigint[]): Amount[] {
  if (ids.length !== values.length) throw new RangeError('there are not as many amounts as ids')
  return ids.map((tokenId, at) => ({ tokenId, value: values[at]! }))
}
