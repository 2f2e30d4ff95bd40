/** A contract that the simulated chain calls. It is the same for every seed. */
export type TokenContract = {
  /** Lower-case hex with 0x. */
  readonly address: string
  readonly standard: 'ERC-20' | 'ERC-721' | 'ERC-1155'
  readonly name: string
  readonly symbol: string
  /** Decimal places; 0 for indivisible tokens. */
  readonly decimals: number
  /** Price in US dollars; null if unknown. */
  readonly price: number | null
}

/** The largest amount of an ERC-20 token. It also limits the total supply. */
export const mostOfToken = 2n ** 256n - 1n

export const erc20Contracts: readonly TokenContract[] = [
  erc20('9b9d76e71c3d6efdf234ef453df4b8c764e47acd', 'Simulated Dollar', 'SUSD', 6, 1),
  erc20('77e3bccdb3511b65597f05a6051f037865b530a0', 'Wrapped Native', 'WNAT', 18, 42.42),
  erc20('470390780d92017ae46b6a6cd54244ec13207f8f', 'Simulated Gold', 'SGLD', 8, 2_310.5),
  erc20('e9bb5164f33e451446b40d29741acf3d83410583', 'Loyalty Points', 'PTS', 0, null),
  // The minted amount of this token is the largest one that a word can hold, so its amounts have up to 78 digits.
  erc20('3de2d0c65030c285f7bdcd44eed67ef3f2724fd2', 'Whole Word', 'WORD', 18, null),
]

/** The contract with very large amounts. */
export const wholeWord = erc20Contracts[4]!

export const erc721Contracts: readonly TokenContract[] = [
  {
    ...nothingKnown('81c6ff96699899e1ddb426c204f9f8217f6fad82'),
    standard: 'ERC-721',
    name: 'Painted Hats',
    symbol: 'HAT',
  },
  {
    ...nothingKnown('0718663e63f099f413d438aac5d4a7bdd6fa03b3'),
    standard: 'ERC-721',
    name: 'Star Deeds',
    symbol: 'DEED',
  },
]

/** The contract with hashes as token ids. The other ERC-721 contract counts its ids up. */
export const hashedIds = erc721Contracts[1]!

export const erc1155Contracts: readonly TokenContract[] = [
  {
    ...nothingKnown('7dedeb67aa004bb3dc111b0a19af81220940312d'),
    standard: 'ERC-1155',
    name: 'Gem Stones',
    symbol: 'GEM',
  },
  {
    ...nothingKnown('b4fa8c564688f864d0f89908830d9f4ba94adce2'),
    standard: 'ERC-1155',
    name: 'Tool Kits',
    symbol: 'KIT',
  },
]

export const tokenContracts: readonly TokenContract[] = [...erc20Contracts, ...erc721Contracts, ...erc1155Contracts]

/** The token contract at an address; null if there is none. */
export function tokenNamed(address: string): TokenContract | null {
  return tokenContracts.find((token) => token.address === address) ?? null
}

/** The code of a token contract: a placeholder, which is never executed. */
export function tokenCode({ name }: TokenContract): Uint8Array {
  return Buffer.from(`6080604052${Buffer.from(name).toString('hex')}00`, 'hex')
}

function erc20(address: string, name: string, symbol: string, decimals: number, price: number | null): TokenContract {
  return { address: `0x${address}`, standard: 'ERC-20', name, symbol, decimals, price }
}

function nothingKnown(address: string) {
  return { address: `0x${address}`, decimals: 0, price: null }
}
