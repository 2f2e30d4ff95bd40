import { inputOf, selectors } from './abi.ts'
import type { Erc1155Book } from './books.ts'
import type { Call } from './call.ts'
import { type Receiver, someOwner, someReceiver } from './receivers.ts'
import type { CState } from './state.ts'

const plain = { value: 0n, accessList: [] }
const noData = { bytes: new Uint8Array() }
const idCount = 24

type Amount = { readonly id: bigint; readonly amount: bigint }

/** Calls an ERC-1155 contract: transfers one token, or several ids at once. */
export function erc1155Call(state: CState): Call {
  const { random } = state.network
  const book = random.pick(state.tokens.erc1155)
  const owner = random.oneIn(3) ? null : someOwner(state, (position) => book.owned[position]!.size > 0)
  if (owner === null) return mint(state, book)
  if (random.oneIn(20)) return burn(state, book, owner)
  return transfer(state, book, owner)
}

function mint(state: CState, book: Erc1155Book): Call {
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

function transfer(state: CState, book: Erc1155Book, owner: number): Call {
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

function burn(state: CState, book: Erc1155Book, owner: number): Call {
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
