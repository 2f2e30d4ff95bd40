import { p } from '../../src/define/index.ts'

/** Parameters that many service pipelines share. Each states the rule of the service. */
export const network = p.text.required(
  'Network of the rows: mainnet, fuji (testnet is the same), or another name that the profile maps to one of them.',
  {
    pattern: { source: '^[a-z0-9-]+$', says: 'must be the name of a network, such as mainnet or fuji' },
    example: 'mainnet',
  },
)

export const blockchain = p.text.required(
  'Chain of the Primary Network: p-chain, x-chain, c-chain, or its blockchain id.',
  { example: 'x-chain' },
)

export const chainId = p.text.required('EVM chain id, such as 43114, or blockchain id of an EVM chain.', {
  example: '43114',
})

/** At least 1. The maximum of the route is also the default. */
export function pageSize(most: number) {
  return p.whole(`Items a page; at most ${most}, which is the default.`, { least: 1, most })
}

const bech32 = '([PXC]-)?[a-z]+1[02-9ac-hj-np-z]{38}'
const evm = '0x[0-9a-fA-F]{40}'

/** Addresses of the P- and X-Chain, and with `evm` also 0x addresses. */
export const addresses = p.list(
  'Addresses of the P- or X-Chain, with or without P- or X-; inline, from a file or a query.',
  {
    pattern: { source: `^${bech32}$`, says: 'must be an address such as P-avax1… or avax1…' },
    example: '@addresses.txt',
  },
)

export const primaryOrEvmAddresses = p.list(
  'Addresses of the P- or X-Chain, or 0x addresses for atomic transactions of the C-Chain; inline, from a file or a query.',
  { pattern: { source: `^(${bech32}|${evm})$`, says: 'must be an address such as P-avax1…, avax1… or 0x…' } },
)

/** USDC on the C-Chain. */
export const exampleContract = '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'

export const evmAddressRule = { pattern: { source: `^${evm}$`, says: 'must be 0x and 40 hexadecimal digits' } }

export const wallets = p.list.required('0x addresses of wallets; inline, from a file or a query.', {
  ...evmAddressRule,
  example: '@wallets.txt',
})

export const contracts = p.list.required('0x addresses of contracts; inline, from a file or a query.', {
  ...evmAddressRule,
  example: exampleContract,
})

/** An id of 32 bytes as CB58 text. Each leading zero byte takes one character, other bytes take more. */
export const idPattern = '[1-9A-HJ-NP-Za-km-z]{36,60}'

export const nodeIdRule = {
  // Twenty zero bytes and their checksum, the empty id, have 26 characters after the prefix.
  pattern: { source: '^NodeID-[1-9A-HJ-NP-Za-km-z]{24,33}$', says: 'must be NodeID- and CB58 text' },
}

export const nodeIds = p.list('Node ids; inline, from a file or a query.', nodeIdRule)

export const trailingSeconds = p.whole(
  'Seconds before the known rows to read again, for rows that arrived late (default: 3600).',
)

export const trailingBlocks = p.whole(
  'Blocks before the known rows to read again, for rows that arrived late (default: 200).',
)

export const contractAddress = p.text('Only what belongs to this contract: a 0x address.', evmAddressRule)

export const startTimestamp = p.time('Begin of the time to list: Unix seconds, or an RFC 3339 time or date.')

export const endTimestamp = p.time('End of the time to list: Unix seconds, or an RFC 3339 time or date.')

/** Marks a parameter that controls how a list is read and selects no rows. */
export const unitPages = p.whole(
  'Pages per commit (default: 500). Smaller commits lose less when a run ends, and write more files.',
  { least: 1 },
)
