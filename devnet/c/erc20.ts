import { inputOf, selectors } from './abi.ts'
import type { Erc20Book } from './books.ts'
import type { Call } from './call.ts'
import { mostOfToken, wholeWord } from './contracts.ts'
import { type Receiver, someAccountAsReceiver, someOwner, someReceiver } from './receivers.ts'
import type { CState } from './state.ts'

const plain = { value: 0n, accessList: [] }

/** Calls an ERC-20 contract: most calls transfer tokens, some approve transfers, and a few transfer more than the balance. */
export function erc20Call(state: CState): Call {
  const { random } = state.network
  const book = random.pick(state.tokens.erc20)
  const draw = random.below(100)
  if (draw < 10) return mint(state, book)
  if (draw < 18) return approve(state, book)
  if (draw < 26) return transferFrom(state, book)
  if (draw < 29) return burn(state, book)
  return transfer(state, book, draw > 97)
}

/** Many transfers of the same amount. */
export function erc20Batch(state: CState): Call {
  const { random } = state.network
  const book = random.pick(state.tokens.erc20)
  const owner = someOwner(state, (position) => book.balances[position]! > 1_000n)
  if (owner === null) return mint(state, book)
  const receivers = Array.from({ length: random.between(8, 48) }, () => receiverOf(state, book))
  const amount = some(state, book, book.balances[owner]!) / BigInt(receivers.length) || 1n
  return {
    ...plain,
    to: book.address,
    from: state.accounts[owner]!,
    gas: 30_000 + 25_000 * receivers.length,
    input: inputOf(selectors.batchTransfer, [receivers.map(({ address }) => address), amount]),
    done: () => {
      for (const receiver of receivers) move(book, owner, receiver, amount)
    },
  }
}

function mint(state: CState, book: Erc20Book): Call {
  const { random } = state.network
  const to = someAccountAsReceiver(state)
  const left = mostOfToken - book.supply
  const wanted = BigInt(random.between(1, 1_000_000)) * 10n ** BigInt(book.token.decimals)
  const amount = book.token === wholeWord ? left : wanted
  if (amount === 0n || amount > left) return transfer(state, book, false)
  return {
    ...plain,
    to: book.address,
    from: null,
    gas: random.between(50_000, 80_000),
    input: inputOf(selectors.mint, [to.address, amount]),
    done: () => {
      book.supply += amount
      book.balances[to.position!]! += amount
    },
  }
}

/** A transfer. With `doomed` the amount exceeds the sender's balance, so that the call reverts. */
function transfer(state: CState, book: Erc20Book, doomed: boolean): Call {
  const { random } = state.network
  const owner = someOwner(state, (position) => book.balances[position]! > 0n)
  if (owner === null) return book.supply < mostOfToken ? mint(state, book) : approve(state, book)
  const to = receiverOf(state, book)
  const balance = book.balances[owner]!
  const reverts = doomed && balance < mostOfToken
  const amount = reverts ? balance + 1n : some(state, book, balance)
  return {
    ...plain,
    to: book.address,
    from: state.accounts[owner]!,
    gas: random.between(40_000, 80_000),
    input: inputOf(selectors.transfer, [to.address, amount]),
    done: () => {
      if (!reverts) move(book, owner, to, amount)
    },
  }
}

function approve(state: CState, book: Erc20Book): Call {
  const { random } = state.network
  const owner = random.below(state.accounts.length)
  const spender = random.below(state.accounts.length)
  const amount = random.oneIn(3) ? mostOfToken : BigInt(random.between(1, 1_000)) * 10n ** BigInt(book.token.decimals)
  return {
    ...plain,
    to: book.address,
    from: state.accounts[owner]!,
    gas: random.between(40_000, 60_000),
    input: inputOf(selectors.approve, [state.accounts[spender]!.address, amount]),
    done: () => {
      const known = book.allowances.find((each) => each.owner === owner && each.spender === spender)
      if (known === undefined) book.allowances.push({ owner, spender, left: amount })
      else known.left = amount
    },
  }
}

/** A transfer by a spender with an allowance. */
function transferFrom(state: CState, book: Erc20Book): Call {
  const { random } = state.network
  if (book.allowances.length === 0) return approve(state, book)
  const allowance = random.pick(book.allowances)
  const { owner, spender, left } = allowance
  const balance = book.balances[owner]!
  if (left === 0n || balance === 0n) return approve(state, book)
  const to = receiverOf(state, book)
  const wanted = some(state, book, balance)
  const amount = wanted > left ? some(state, book, left) : wanted
  return {
    ...plain,
    to: book.address,
    from: state.accounts[spender]!,
    gas: random.between(50_000, 90_000),
    input: inputOf(selectors.transferFrom, [state.accounts[owner]!.address, to.address, amount]),
    done: () => {
      if (left !== mostOfToken) allowance.left -= amount
      move(book, owner, to, amount)
    },
  }
}

function burn(state: CState, book: Erc20Book): Call {
  const owner = someOwner(state, (position) => book.balances[position]! > 0n)
  if (owner === null) return mint(state, book)
  const amount = some(state, book, book.balances[owner]!)
  return {
    ...plain,
    to: book.address,
    from: state.accounts[owner]!,
    gas: state.network.random.between(30_000, 50_000),
    input: inputOf(selectors.burn, [amount]),
    done: () => {
      book.supply -= amount
      book.balances[owner]! -= amount
    },
  }
}

/** Receiver of a transfer. The largest amounts stay with accounts that send, because nothing more can be minted. */
function receiverOf(state: CState, book: Erc20Book): Receiver {
  return book.token === wholeWord ? someAccountAsReceiver(state) : someReceiver(state)
}

/** A part of a balance, at least 1. */
function some({ network }: CState, book: Erc20Book, balance: bigint): bigint {
  const { random } = network
  if (book.token !== wholeWord) return (balance * BigInt(random.between(1, 400))) / 1_000n || 1n
  return random.oneIn(4) ? balance : balance >> BigInt(random.below(200)) || 1n
}

function move(book: Erc20Book, owner: number, { position }: Receiver, amount: bigint): void {
  book.balances[owner]! -= amount
  if (position !== null) book.balances[position]! += amount
}
