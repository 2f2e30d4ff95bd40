import type { Holder, NetworkState } from '../network/state.ts'
import { erc20Contracts, erc721Contracts, erc1155Contracts, type TokenContract, tokenContracts } from './contracts.ts'
import { createKey, type Key } from './curve.ts'

/** An account that signs transactions of the EVM. */
export type Account = Key & {
  /** How many transactions and exports the account has sent. */
  nonce: number
  /** Lower bound of the native balance in nAVAX: each fee is counted at its maximum. */
  balance: bigint
  /** Balances of other assets, until Banff. */
  readonly assets: { readonly asset: Uint8Array; readonly amount: bigint }[]
}

/** Everything that the next C-Chain block depends on. */
export type CState = {
  readonly network: NetworkState
  readonly accounts: readonly Account[]
  /** Addresses that only receive. */
  readonly wallets: readonly Uint8Array[]
  readonly tokens: TokenBooks
  /** Addresses of contracts that transactions call, unordered. */
  readonly contracts: Uint8Array[]
  /** Gas price in wei. */
  baseFee: number
}

/** Chain id of the EVM, the same as in a node's own local test network. */
export const evmChainId = 43_112

/** 1 nAVAX in wei. */
export const weiPerUnit = 1_000_000_000n

const accountCount = 32
const walletCount = 24
const contractCount = 8
/** The initial balance of each account in nAVAX: one million AVAX. */
export const genesisBalance = 1_000_000_000_000_000n

/** Keys of the accounts. They are the same for every seed, so that a list of wallets fits every network. */
export const accountKeys: readonly Key[] = Array.from({ length: accountCount }, (_, at) => {
  return createKey(`chainlake devnet account ${at}`)
})

/** Addresses that only receive. They are the same for every seed, too. */
const walletAddresses: readonly Uint8Array[] = Array.from({ length: walletCount }, (_, at) => {
  return createKey(`chainlake devnet wallet ${at}`).address
})

export function createCState(network: NetworkState): CState {
  return {
    network,
    accounts: accountKeys.map((key) => ({ ...key, nonce: 0, balance: genesisBalance, assets: [] })),
    wallets: walletAddresses,
    tokens: createBooks(accountCount),
    contracts: Array.from({ length: contractCount }, () => network.random.bytes(20)),
    baseFee: 25_000_000_000,
  }
}

/** An account that can pay this amount (nAVAX); null if several tries found none. */
export function someAccount({ network, accounts }: CState, amount: bigint): Account | null {
  for (let tries = 0; tries < 8; tries += 1) {
    const account = network.random.pick(accounts)
    if (account.balance >= amount) return account
  }
  return null
}

export function someHolder({ random, holders }: NetworkState): Holder {
  return random.pick(holders)
}

/** Token balances of the accounts, so that most calls succeed. Lists are indexed by the position of the account. */
type TokenBooks = {
  readonly erc20: readonly Erc20Book[]
  readonly erc721: readonly Erc721Book[]
  readonly erc1155: readonly Erc1155Book[]
}

type Contract = { readonly token: TokenContract; readonly address: Uint8Array }

export type Erc20Book = Contract & {
  supply: bigint
  readonly balances: bigint[]
  readonly allowances: Allowance[]
}

/** The amount of an owner's tokens that a spender may still send. */
type Allowance = { readonly owner: number; readonly spender: number; left: bigint }

export type Erc721Book = Contract & {
  /** Total amount of tokens that was ever minted. */
  minted: number
  readonly owned: readonly bigint[][]
}

export type Erc1155Book = Contract & {
  /** Owned amounts by token id. */
  readonly owned: readonly Map<bigint, bigint>[]
}

function createBooks(accounts: number): TokenBooks {
  const each = <T>(make: () => T): T[] => Array.from({ length: accounts }, make)
  const contract = (token: TokenContract): Contract => ({ token, address: Buffer.from(token.address.slice(2), 'hex') })
  return {
    erc20: erc20Contracts.map((token) => {
      return { ...contract(token), supply: 0n, balances: each(() => 0n), allowances: [] }
    }),
    erc721: erc721Contracts.map((token) => ({ ...contract(token), minted: 0, owned: each(() => []) })),
    erc1155: erc1155Contracts.map((token) => ({ ...contract(token), owned: each(() => new Map()) })),
  }
}

/** A receiver of tokens. `position` is null for receivers that never send tokens. */
export type Receiver = { readonly address: Uint8Array; readonly position: number | null }

const contractAddresses = tokenContracts.map(({ address }) => Buffer.from(address.slice(2), 'hex'))

/** An account, a wallet that only receives, or (by mistake) a contract. */
export function someReceiver(state: CState): Receiver {
  const { random } = state.network
  const draw = random.below(40)
  if (draw === 0) return { address: random.pick(contractAddresses), position: null }
  return draw < 14 ? { address: random.pick(state.wallets), position: null } : someAccountAsReceiver(state)
}

export function someAccountAsReceiver({ network, accounts }: CState): Receiver {
  const position = network.random.below(accounts.length)
  return { address: accounts[position]!.address, position }
}

/** The position of an account with a balance; null if several tries found no such account. */
export function someOwner({ network, accounts }: CState, has: (position: number) => boolean): number | null {
  for (let tries = 0; tries < 6; tries += 1) {
    const position = network.random.below(accounts.length)
    if (has(position)) return position
  }
  return null
}

export type AccessList = readonly (readonly [address: Uint8Array, keys: readonly Uint8Array[]])[]

/** What a transaction does. Its gas and fees are not part of it. */
export type Call = {
  /** The account that has to send it; null if any account that can pay may send it. */
  readonly from: Account | null
  /** Address of the called contract or receiver; null creates a contract. */
  readonly to: Uint8Array | null
  /** Sent value in wei. */
  readonly value: bigint
  readonly gas: number
  readonly input: Uint8Array
  readonly accessList: AccessList
  /** Called when the call has become a transaction. */
  readonly done: () => void
}
