import { keccak256 } from '../../codec/keccak.ts'
import { hex0x } from '../lib.ts'
import { type Argument, inputOf, selectors } from './abi.ts'
import { hashedIds, mostOfToken, wholeWord } from './contracts.ts'
import {
  type Call,
  type CState,
  type Erc20Book,
  type Erc721Book,
  type Erc1155Book,
  type Receiver,
  someAccountAsReceiver,
  someOwner,
  someReceiver,
} from './state.ts'

const plain = { value: 0n, accessList: [] }

/** Calls an ERC-20 contract: most calls transfer tokens, some approve transfers, and a few transfer more than the balance. */
export function erc20Call(state: CState): Call {
  const { random } = state.network
  const book = random.pick(state.tokens.erc20)
  const draw = random.below(100)
  if (draw < 10) return mint20(state, book)
  if (draw < 18) return approve(state, book)
  if (draw < 26) return transferFrom(state, book)
  if (draw < 29) return burn20(state, book)
  return transfer20(state, book, draw > 97)
}

/** Many transfers of the same amount. */
export function erc20Batch(state: CState): Call {
  const { random } = state.network
  const book = random.pick(state.tokens.erc20)
  const owner = someOwner(state, (position) => book.balances[position]! > 1_000n)
  if (owner === null) return mint20(state, book)
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

function mint20(state: CState, book: Erc20Book): Call {
  const { random } = state.network
  const to = someAccountAsReceiver(state)
  const left = mostOfToken - book.supply
  const wanted = BigInt(random.between(1, 1_000_000)) * 10n ** BigInt(book.token.decimals)
  const amount = book.token === wholeWord ? left : wanted
  if (amount === 0n || amount > left) return transfer20(state, book, false)
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
function transfer20(state: CState, book: Erc20Book, doomed: boolean): Call {
  const { random } = state.network
  const owner = someOwner(state, (position) => book.balances[position]! > 0n)
  if (owner === null) return book.supply < mostOfToken ? mint20(state, book) : approve(state, book)
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

function burn20(state: CState, book: Erc20Book): Call {
  const owner = someOwner(state, (position) => book.balances[position]! > 0n)
  if (owner === null) return mint20(state, book)
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

/** Calls an ERC-721 contract: mints tokens, or transfers one in one of the three possible ways. */
export function erc721Call(state: CState): Call {
  const { random } = state.network
  const book = random.pick(state.tokens.erc721)
  const owner = random.below(10) < 4 ? null : someOwner(state, (position) => book.owned[position]!.length > 0)
  if (owner === null) return mint721(state, book)
  if (random.oneIn(20)) return burn721(state, book, owner)
  return random.oneIn(30) ? theft(state, book, owner) : transfer721(state, book, owner)
}

function mint721(state: CState, book: Erc721Book): Call {
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
  return BigInt(hex0x(keccak256(new TextEncoder().encode(`${hashedIds.name} ${number}`))))
}

function transfer721(state: CState, book: Erc721Book, owner: number): Call {
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

function burn721(state: CState, book: Erc721Book, owner: number): Call {
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

const noData = { bytes: new Uint8Array() }
const idCount = 24

type Amount = { readonly id: bigint; readonly amount: bigint }

/** Calls an ERC-1155 contract: transfers one token, or several ids at once. */
export function erc1155Call(state: CState): Call {
  const { random } = state.network
  const book = random.pick(state.tokens.erc1155)
  const owner = random.oneIn(3) ? null : someOwner(state, (position) => book.owned[position]!.size > 0)
  if (owner === null) return mint1155(state, book)
  if (random.oneIn(20)) return burn1155(state, book, owner)
  return transfer1155(state, book, owner)
}

function mint1155(state: CState, book: Erc1155Book): Call {
  const { random } = state.network
  const to = someReceiver(state)
  const first = random.below(idCount)
  const amounts = Array.from({ length: random.pick([1, 1, 2, 3, 5]) }, (_, at) => {
    return { id: BigInt(1 + ((first + at * 5) % idCount)), amount: BigInt(random.between(1, 10_000)) }
  })
  return {
    ...plain,
    to: book.address,
    from: null,
    gas: 60_000 + 30_000 * amounts.length,
    input:
      amounts.length === 1
        ? inputOf(selectors.mintOf, [to.address, amounts[0]!.id, amounts[0]!.amount, noData])
        : inputOf(selectors.mintBatch, [to.address, amounts.map(({ id }) => id), amounts.map(amountOf), noData]),
    done: () => add(book, to, amounts),
  }
}

function transfer1155(state: CState, book: Erc1155Book, owner: number): Call {
  const { random } = state.network
  const to = someReceiver(state)
  const from = state.accounts[owner]!
  const amounts = [...book.owned[owner]!].slice(0, random.pick([1, 1, 1, 2, 4])).map(([id, balance]) => {
    return { id, amount: random.oneIn(3) ? balance : (balance * BigInt(random.between(1, 90))) / 100n || 1n }
  })
  const [only] = amounts as [Amount]
  return {
    ...plain,
    to: book.address,
    from,
    gas: 50_000 + 25_000 * amounts.length,
    input:
      amounts.length === 1
        ? inputOf(selectors.safeTransferOf, [from.address, to.address, only.id, only.amount, noData])
        : inputOf(selectors.safeBatchTransfer, [
            from.address,
            to.address,
            amounts.map(({ id }) => id),
            amounts.map(amountOf),
            noData,
          ]),
    done: () => {
      take(book, owner, amounts)
      add(book, to, amounts)
    },
  }
}

function burn1155(state: CState, book: Erc1155Book, owner: number): Call {
  const [[id, balance]] = [...book.owned[owner]!] as [[bigint, bigint]]
  const amount = balance / 2n || 1n
  const from = state.accounts[owner]!
  return {
    ...plain,
    to: book.address,
    from,
    gas: 45_000,
    input: inputOf(selectors.burnOf, [from.address, id, amount]),
    done: () => take(book, owner, [{ id, amount }]),
  }
}

function amountOf({ amount }: Amount): bigint {
  return amount
}

function take(book: Erc1155Book, owner: number, amounts: readonly Amount[]): void {
  const owned = book.owned[owner]!
  for (const { id, amount } of amounts) {
    const left = owned.get(id)! - amount
    if (left === 0n) owned.delete(id)
    else owned.set(id, left)
  }
}

function add(book: Erc1155Book, { position }: Receiver, amounts: readonly Amount[]): void {
  if (position === null) return
  const owned = book.owned[position]!
  for (const { id, amount } of amounts) owned.set(id, (owned.get(id) ?? 0n) + amount)
}
