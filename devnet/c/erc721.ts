import { keccak256 } from '../../codec/keccak.ts'
import { type Argument, inputOf, selectors } from './abi.ts'
import type { Erc721Book } from './books.ts'
import type { Call } from './call.ts'
import { hashedIds } from './contracts.ts'
import { someOwner, someReceiver } from './receivers.ts'
import type { CState } from './state.ts'

const plain = { value: 0n, accessList: [] }

/** Calls an ERC-721 contract: mints tokens, or transfers one in one of the three possible ways. */
export function erc721Call(state: CState): Call {
  const { random } = state.network
  const book = random.pick(state.tokens.erc721)
  const owner = random.below(10) < 4 ? null : someOwner(state, (position) => book.owned[position]!.length > 0)
  if (owner === null) return mint(state, book)
  if (random.oneIn(20)) return burn(state, book, owner)
  return random.oneIn(30) ? theft(state, book, owner) : transfer(state, book, owner)
}

function mint(state: CState, book: Erc721Book): Call {
  const to = someReceiver(state)
  const number = book.minted + 1
  const tokenId = book.token === hashedIds ? hashedId(number) : BigInt(number)
  return {
    ...plain,
    to: book.address,
    from: null,
    gas: state.network.random.between(80_000, 120_000),
    input: inputOf(selectors.mint, [to.address, tokenId]),
    done: () => {
      book.minted += 1
      if (to.position !== null) book.owned[to.position]!.push(tokenId)
    },
  }
}

function hashedId(number: number): bigint {
  const hash = keccak256(new TextEncoder().encode(`${hashedIds.name} ${number}`))
  return BigInt(`0x${Buffer.from(hash).toString('hex')}`)
}

function transfer(state: CState, book: Erc721Book, owner: number): Call {
  const { random, noise } = state.network
  const to = someReceiver(state)
  const at = random.below(book.owned[owner]!.length)
  const tokenId = book.owned[owner]![at]!
  const way = random.pick(['transferFrom', 'safeTransfer', 'safeTransferData'] as const)
  const data: Argument[] = way === 'safeTransferData' ? [{ bytes: noise(random.below(40)) }] : []
  return {
    ...plain,
    to: book.address,
    from: state.accounts[owner]!,
    gas: random.between(50_000, 90_000),
    input: inputOf(selectors[way], [state.accounts[owner]!.address, to.address, tokenId, ...data]),
    done: () => {
      remove(book.owned[owner]!, at)
      if (to.position !== null) book.owned[to.position]!.push(tokenId)
    },
  }
}

/** An attempt by another account to take a token. The call reverts. */
function theft(state: CState, book: Erc721Book, owner: number): Call {
  const thief = state.accounts[(owner + 1) % state.accounts.length]!
  const tokenId = book.owned[owner]![0]!
  const input = inputOf(selectors.transferFrom, [state.accounts[owner]!.address, thief.address, tokenId])
  return { ...plain, to: book.address, from: thief, gas: 70_000, input, done: () => {} }
}

function burn(state: CState, book: Erc721Book, owner: number): Call {
  const at = state.network.random.below(book.owned[owner]!.length)
  return {
    ...plain,
    to: book.address,
    from: state.accounts[owner]!,
    gas: state.network.random.between(30_000, 60_000),
    input: inputOf(selectors.burn, [book.owned[owner]![at]!]),
    done: () => remove(book.owned[owner]!, at),
  }
}

/** Removes an element and moves the last one to its position. */
function remove(ids: bigint[], at: number): void {
  const last = ids.pop()!
  if (at < ids.length) ids[at] = last
}
