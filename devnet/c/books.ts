import { erc20Contracts, erc721Contracts, erc1155Contracts, type TokenContract } from './contracts.ts'

/** Token balances of the accounts, so that most calls succeed. Lists are indexed by the position of the account. */
export type TokenBooks = {
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

export function createBooks(accounts: number): TokenBooks {
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
