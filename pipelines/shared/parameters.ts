import { type Bound, p, type Range } from '../../src/define/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { givenTimeNs, mayBeOrdered } from '../../src/lib/time.ts'
import { parameterText } from '../../src/model.ts'

/** Parameters of a job that do not go together. */
export function parameterError(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.parameter', hint })
}

/** The network as the lake names it: `testnet` is another name of `fuji` (specification part 1). */
export function lakeNetwork(name: string): string {
  return name === 'testnet' ? 'fuji' : name
}

/** Subjects that one stream observes: each resumes independently. */
export const observedTogether = 64

/** 0x addresses as in rows: lower case, without duplicates. */
export function evmAddresses(list: readonly string[]): string[] {
  return [...new Set(list.map((address) => address.toLowerCase()))]
}

/** The name of a subject in the table observations: its kind, then the given filters. */
export function subjectName(
  name: string,
  filters: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const texts = Object.entries(filters).flatMap(([filter, value]) =>
    value === undefined ? [] : [`${filter}=${typeof value === 'number' ? value : parameterText(value)}`],
  )
  return texts.length === 0 ? name : `${name}?${texts.join('&')}`
}

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

/**
 * The parameters of a part of a range: `record` names its coordinates, `end` the default end. With `timeless` they cannot be times, for the reason
 * that it gives.
 */
export function rangeParameters(
  record: string,
  end: string,
  { first = 0, ...rules }: { readonly first?: number; readonly timeless?: string } = {},
) {
  return {
    from: p.bound(`First ${record}, inclusive (default: ${first}).`, rules),
    to: p.bound(`End of the range: a ${record}, exclusive (default: after ${end}).`, { least: 1, ...rules }),
    range: p.range('Both in one: A:B is the same as from A and to B.', rules),
  }
}

type Given = {
  readonly from?: Bound | undefined
  readonly to?: Bound | undefined
  readonly range?: { readonly from?: Bound; readonly to?: Bound } | undefined
}

/** The bounds of a job, from its first coordinate on. Throws `ConfigError` if they are empty, or given in two ways. */
export function requestedBounds(given: Given, first: 0 | 1 = 0): Pick<Range, 'from' | 'to'> {
  const { range } = given
  if (range !== undefined && (given.from !== undefined || given.to !== undefined))
    throw parameterError('The job has its range in two ways: from and to, and range.', 'Give one of them.')
  const { from: begin = first, to } = range ?? given
  // The genesis block, at height 0, is in no index.
  const from = begin === 0 ? first : begin
  for (const bound of [from, to])
    if (typeof bound === 'string' && givenTimeNs(bound) === null)
      throw parameterError(
        `${JSON.stringify(bound)} is no time.`,
        'Write a date such as 2026-01-31, or a time such as 2026-01-31T12:00 (UTC).',
      )
  mustBeRange(['from', from], ['to', to])
  return { from, to: to ?? null }
}

type NamedBound = readonly [name: string, bound: Bound | undefined]

/** Bounds of a range, the second one exclusive. Of bounds of two kinds only the source knows which one comes first. */
export function mustBeRange([fromName, from]: NamedBound, [toName, to]: NamedBound): void {
  if (from === undefined || to === undefined || mayBeOrdered(from, to)) return
  throw parameterError(
    `The range ${shownBound('from', fromName, from)} ${shownBound('to', toName, to)} is empty: the second bound is not part of it.`,
    `${toName} must be greater than ${fromName}.`,
  )
}

/** `from 9`, or `from start-timestamp 2024-01-01T00:00:00Z` where the parameter has another name. */
function shownBound(side: 'from' | 'to', name: string, bound: Bound): string {
  return `${side} ${name === side ? '' : `${name} `}${boundText(name, bound)}`
}

/** Seconds from the year 271821 on exceed the range of JavaScript dates. */
const lastSecond = 8_640_000_000_000

function boundText(name: string, bound: Bound): string {
  const isTime = name.endsWith('-timestamp') && typeof bound === 'number' && bound <= lastSecond
  return isTime ? `${new Date(bound * 1000).toISOString().slice(0, -5)}Z` : String(bound)
}

/** Containers per commit. Encoders keep part of a unit in memory: twice as many containers need 60 MB more and are no faster. */
export const usualUnit = 32_768
