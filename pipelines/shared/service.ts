import {
  answerObject,
  contradiction,
  count,
  finish,
  newShape,
  nextPageToken,
  objects,
  optionalId,
  optionalMilliseconds,
  optionalObject,
  optionalText,
  pathOf,
  type Reading,
  raw,
  reading,
  seconds,
  time,
  word,
} from '../../src/decode/json/fields.ts'
import { type ListDeclaration, listReader } from '../../src/decode/list-reader.ts'
import {
  type Blockchain,
  type DecodePage,
  type Facts,
  type List,
  type ListWalk,
  p,
  quietContext,
  type RangeWalk,
  type ReadingContext,
  type Requested,
  type RequestedRange,
  type ServiceRequest,
  type ServiceSettings,
  type Tables,
} from '../../src/define/index.ts'
import { ConfigError, DecodeError, OtherSourceError } from '../../src/errors.ts'
import { chunksOf, getOrCreate } from '../../src/lib/arrays.ts'
import type { Slice } from '../../src/model.ts'
import { evmChainIdOf } from '../../src/sources/known-networks.ts'
import { requestOf, type ServiceRoute, serviceRoutes } from '../../src/sources/service-routes.ts'
import { bareAddresses } from './addresses.ts'
import {
  chainId,
  idPattern,
  lakeNetwork,
  mustBeRange,
  network,
  pageSize,
  parameterError,
  trailingBlocks,
} from './parameters.ts'

/** A filter in chunks that fit into a request; one empty chunk without a filter. */
export function filterChunks(
  list: readonly string[] | undefined,
  size: number,
): readonly (readonly string[] | undefined)[] {
  return list === undefined || list.length === 0 ? [undefined] : chunksOf(list, size)
}

/** Values of a list as the service accepts them; undefined for an empty list. */
export function commaSeparated(list: readonly string[] | undefined): string | undefined {
  return list === undefined || list.length === 0 ? undefined : list.join(',')
}

/**
 * A paginated list of a route. Requests of its pages differ only in the token; pages have as many items as `query` says, or as the route gives
 * at most. `requested`: facts that its items must match.
 */
export function listOf(
  route: ServiceRoute,
  parts: Readonly<Record<string, string>>,
  query: ServiceRequest['query'],
  decode: List['decode'],
  requested: Requested = {},
  body?: object,
): List {
  const pageSize = route.mostItems === null ? undefined : (query['pageSize'] ?? route.mostItems)
  return {
    request: (token) => requestOf(route, parts, { ...query, pageSize, pageToken: token ?? undefined }, body),
    decode,
    requested,
  }
}

type Owners = Partial<Record<'addresses' | 'node-ids', readonly string[] | undefined>>

/**
 * What each request of a job over `what` of addresses or nodes selects: every address with every node, so that nothing is missing, whether the
 * service combines both filters or applies one. Throws `ConfigError` if the job names none.
 */
export function ownersAtOnce(
  what: string,
  { network: given, addresses = [], 'node-ids': nodeIds = [] }: Owners & { readonly network: string },
  { networkInPath, getAddresses }: ServiceSettings,
) {
  if (addresses.length === 0 && nodeIds.length === 0)
    throw parameterError(
      `${what} are listed for addresses or nodes only, and the job names none.`,
      'Give addresses, node-ids or both.',
    )
  const network = lakeNetwork(given)
  const parts = { network: networkInPath(network) }
  return filterChunks(bareAddresses(network, addresses), getAddresses).flatMap((addresses) =>
    filterChunks(nodeIds, getAddresses).map((nodes) => ({
      network,
      parts,
      owners: { addresses, nodeIds: nodes },
      query: { addresses: commaSeparated(addresses), nodeIds: commaSeparated(nodes) },
      // With both filters, a service may apply either or both.
      requested: { values: [{ ...(addresses && { addresses }), ...(nodes && { node_id: nodes }) }] },
    })),
  )
}

/** What items must match: values of columns, as far as the job names them. */
export function requestedValues(columns: Readonly<Record<string, string | readonly string[] | undefined>>) {
  return Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [{ [column]: typeof value === 'string' ? [value] : value }],
  )
}

/** A list that earlier runs have read in part: newest first, or oldest first if the job sets that. */
export function knownListWalk(
  list: (order: 'asc' | 'desc') => List,
  order: string | undefined,
  trailing: number,
): ListWalk {
  if (order !== 'asc') return { kind: 'pageChain', list: list('desc'), trailing }
  return { kind: 'oldestFirst', list: list('asc'), newestFirst: list('desc'), trailing }
}

/** The order of such a list is part of the name of its stream, since progress depends on it (rows do not). */
export function orderInStream(order: string | undefined): string | undefined {
  return order === 'asc' ? order : undefined
}

/** Genesis of the Primary Network, 2020-09-10: no chain has anything earlier. */
export const genesisTime = 1_599_696_000

/** Default number of seconds below the newest known row that are read again. */
export const defaultTrailing = 3600

export const day = 86_400

/** Time range of the first request, 30 days in seconds; services accept that much. */
const firstWindow = 2_592_000

/** Where the requests of a job go, and the chain in its rows. */
export type JobChain = Blockchain & {
  readonly network: string
  readonly parts: { readonly network: string; readonly blockchainId: string }
}

/** The chain of a job. Throws `ConfigError` for a network or chain that the profile does not know. */
export function jobChain(
  { network, blockchain }: { readonly network: string; readonly blockchain: string },
  settings: ServiceSettings,
): JobChain {
  const stored = lakeNetwork(network)
  const chain = settings.blockchain(stored, blockchain)
  return { ...chain, network: stored, parts: { network: settings.networkInPath(stored), blockchainId: chain.pathName } }
}

/** The chain that a list requests, and that its answers must be of. Rows need its network and id, which answers do not state. */
export type ListedChain = Pick<JobChain, 'network' | 'id' | 'alias'> & { readonly parts: { readonly network: string } }

/**
 * A walk over time, for a route that filters by it: between the given seconds, or up to the newest transaction that the service
 * lists for the chain. Blocks without transactions may be newer: the walk reads one more day, which counts as read only once a later transaction exists.
 */
export function timeWindow(
  chain: JobChain,
  from: number | undefined,
  to: number | undefined,
  trailing: number | undefined,
  list: RangeWalk['list'],
): RangeWalk {
  return {
    kind: 'timeWindow',
    from: from ?? genesisTime,
    to: to ?? null,
    head: {
      request: requestOf(serviceRoutes.transactions, chain.parts, { pageSize: 1 }),
      // For any chain of the Primary Network.
      decode: newestOf('transactions', chain, (at) => seconds(at, 'blockTimestamp', 'timestamp')),
    },
    ahead: day,
    list,
    trailing: trailing ?? defaultTrailing,
    first: firstWindow,
  }
}

/** Bounds of a request for a slice: one second more on both sides, since services do not document whether bounds are inclusive. */
export function timeBounds({ from, to }: Slice): { readonly startTimestamp: number; readonly endTimestamp: number } {
  return { startTimestamp: Math.max(0, from - 1), endTimestamp: to + 1 }
}

/** Rows within a slice. Answers can have rows outside of it, because the bounds of the request are wider and seconds are rounded. */
export function requestedSeconds(slice: Slice): RequestedRange {
  return { column: 'block_time', holds: 'times', slice, margin: { before: 2, after: 3 } }
}

type OnChain = { readonly network: string; readonly 'chain-id': string }

/**
 * Declares streams over an EVM chain of the service under one name of the network and of the chain: a blockchain id becomes the chain id,
 * which the service states, so that no row is stored under both. Throws `ConfigError` if the service lists no EVM chain with that blockchain id.
 */
export function onEvmChain<V extends OnChain, T>(values: V, facts: Facts, declare: (values: V) => T): T | Promise<T> {
  const named = { ...values, network: lakeNetwork(values.network) }
  const { network, 'chain-id': name } = named
  if (!new RegExp(`^${idPattern}$`).test(name)) return declare(named)
  return chainIdOf(network, name, facts).then((chainId) => declare({ ...named, 'chain-id': chainId }))
}

async function chainIdOf(network: string, blockchainId: string, { service, askService }: Facts): Promise<string> {
  const known = evmChainIdOf(blockchainId)
  if (known !== null) return String(known)
  const request = requestOf(serviceRoutes.chains, {}, { network: service.networkInPath(network) })
  const found = (await askService(request, evmChainIds)).get(blockchainId)
  if (found !== undefined) return found
  throw new ConfigError(`The service lists no EVM chain with the blockchain id ${blockchainId}.`, {
    code: 'config.blockchain',
    hint: 'Give the EVM chain id as chain-id, such as 43114. The job rest-chains stores the chains that the service lists.',
  })
}

/** The chain ids of the EVM chains of the service by blockchain id. */
function evmChainIds(answer: unknown): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  objects(answerObject(answer, 'answer', withoutRows), 'chains', (chain) => {
    const blockchainId = optionalId(chain, 'platformChainId')
    if (blockchainId !== null) ids.set(blockchainId, word(chain, 'chainId'))
  })
  return ids
}

/** Parameters of the routes that list transfers (specification 4.4). */
export const transferParameters = {
  network,
  'chain-id': chainId,
  'start-block': p.whole(
    'Number of the first block, inclusive (default: the genesis block). A date is refused: the service has no route that finds the block of a time.',
  ),
  'end-block': p.whole('Last block, exclusive (default: the newest block of the service).'),
  'trailing-blocks': trailingBlocks,
  'page-size': pageSize(100),
}

const byTime = {
  why: 'The routes of transfers take blocks, and the service has no route that finds the block of a time.',
  instead: 'Give block numbers with start-block and end-block.',
}

/** Parameters that lists of transfers refuse: they have start-block and end-block instead, which take no times. */
export const refusedOfTransfers = { from: byTime, to: byTime, range: byTime }

type Blocks = {
  readonly 'chain-id': string
  readonly 'start-block': number | undefined
  readonly 'end-block': number | undefined
  readonly 'trailing-blocks': number | undefined
}

/** Transfers in the blocks of a slice. A service may treat the end of a range as inclusive. */
export function requestedBlocks(slice: Slice): RequestedRange {
  return { column: 'block_number', holds: 'numbers', slice, margin: { before: 0, after: 1 } }
}

/** Number of blocks in the first request; services accept that many. */
const first = 10_000

const usualTrailing = 200

/**
 * Transfers by ranges of blocks, up to the newest block of the service at the time of the run. Throws `ConfigError` when the
 * range of the job is empty.
 */
export function blockWindow<T extends Tables>(values: Blocks, list: (slice: Slice) => List<T>): RangeWalk<T> {
  const {
    'chain-id': chainId,
    'start-block': from = 0,
    'end-block': to,
    'trailing-blocks': trailing = usualTrailing,
  } = values
  mustBeRange(['start-block', from], ['end-block', to])
  const request = requestOf(serviceRoutes.evmBlocks, { chainId }, { pageSize: 1 })
  const head = { request, decode: newestBlock(chainId) }
  return { kind: 'blockWindow', from, to: to ?? null, head, ahead: 0, list, trailing, first }
}

/** The number of the newest block in an answer; null if there is none. */
export function newestBlock(chainId: string) {
  return newestOf('blocks', null, (block) => {
    checkChain(block, chainId)
    return count(block, 'blockNumber')
  })
}

/** The time of the block of an item, in Unix seconds. */
function blockSeconds(_: unknown, item: Reading): number {
  const stated = item.object['blockTimestamp']
  return typeof stated === 'number' ? stated : seconds(item, 'blockTimestamp')
}

/** What lists of an EVM chain have in common: times of blocks, and positions of rows that the service does not number. */
export const eventList = {
  readers: { block_time: blockTime },
  ofAnswer: ({ context }: Reading) => ({ given: { positions: positionsOf(context) } }),
  time: blockSeconds,
} as const

type Transfer = {
  readonly block_number: number
  readonly log_index: number | null
  readonly transaction_hash: string
  readonly token_address: string
  readonly token_id?: string
  readonly amount_raw?: string
  readonly from_address: string
  readonly to_address: string
  position: number | null
  standard: string
}

/**
 * A list of transfers of tokens (specification 4.4). `standard` is that of all its items; null: each item has the standard of its token.
 * Throws `DecodeError` for another standard.
 */
export function transferList<T extends Tables>(
  items: string,
  tables: T,
  standard: TokenStandard | null,
  tableOf?: (standard: TokenStandard) => keyof T & string,
) {
  return listReader<T>({
    ...eventList,
    tables,
    items,
    ignore: ['erc20Token.ercType', 'erc721Token.ercType', 'erc1155Token.ercType'],
    ...(tableOf === undefined ? {} : { tableOf: (item) => tableOf(standardOfItem(item)) }),
    complete(row: Transfer, item, { positions }) {
      row.standard = standard ?? standardOfItem(item)
      checkStandard(item, `${row.standard}Token`, row.standard as TokenStandard)
      if (row.log_index === null || row.standard === 'erc1155') row.position = positionOf(row, positions as Positions)
    },
    key: (row: Transfer) => (row.position === null ? groupOf(row) : `${groupOf(row)}/${row.position}`),
  })
}

/** The position among the rows of the same log, or of the same transaction if answers have no log index. */
function positionOf(row: Transfer, positions: Positions): number {
  const { token_address, token_id = '', amount_raw = '', from_address, to_address } = row
  return positions(groupOf(row), [token_address, token_id, amount_raw, from_address, to_address].join(' '))
}

function groupOf({ block_number, log_index, transaction_hash }: Transfer): string {
  return log_index === null ? transaction_hash : `${block_number}/${log_index}`
}

/** The token standards as the lake spells them. */
const standards = ['erc20', 'erc721', 'erc1155'] as const
type TokenStandard = (typeof standards)[number]

/** The standard of an item by its token object. */
function standardOfItem(item: Reading): TokenStandard {
  const found = standards.find((standard) => (item.object[`${standard}Token`] ?? undefined) !== undefined)
  if (found !== undefined) return found
  const tokens = Object.keys(item.object).filter((name) => /token/i.test(name))
  throw otherStandard(item, tokens.length === 0 ? 'it has no token' : tokens.join(', '))
}

/** Makes the decoder of a list of a chain. `more` are values of columns that only the request has. */
export function chainList<T extends Tables>(list: Omit<ListDeclaration<T>, 'ofAnswer'>) {
  const read = listReader<T>({
    ...list,
    ofAnswer: (answer, { requested }) => ({
      given: { chain_name: statedChainName(answer, requested as ListedChain) },
    }),
  })
  return (chain: ListedChain, more: object = {}): DecodePage<T> =>
    read({ network: chain.network, blockchain_id: chain.id, requested: chain, ...more })
}

const chainNames = { P: 'p-chain', X: 'x-chain', C: 'c-chain' } as const

/**
 * Returns the name of the chain in the field `chainInfo`; null if the service does not state it. Throws `OtherSourceError` if the field
 * states another network or chain than the requested one. An unknown name of a chain is accepted.
 */
export function statedChainName(at: Reading, requested: Pick<ListedChain, 'alias' | 'parts'>): string | null {
  return optionalObject(at, 'chainInfo', (info) => {
    const network = optionalText(info, 'network')
    const chain = optionalText(info, 'chainName')
    const otherNetwork =
      (network ?? '') !== '' &&
      lakeNetwork((network ?? '').toLowerCase()) !== lakeNetwork(requested.parts.network.toLowerCase())
    const otherChain = Object.entries(chainNames).some(
      ([alias, name]) => alias !== requested.alias && name === chain?.toLowerCase(),
    )
    if (otherNetwork || otherChain)
      throw new OtherSourceError('The service answers for another network or chain than the requested one.', {
        details: {
          'asked for': `${requested.parts.network} ${chainNames[requested.alias]}`,
          answered: `${network ?? '?'} ${chain ?? '?'}`,
        },
        hint: 'Nothing of this unit was written. Check the URL of the service and what its profile calls the network (networks: …).',
      })
    return chain
  })
}

/** Throws `DecodeError` if the number of transactions in a block or vertex differs from the stated count. */
export function checkTransactions({ tx_count, tx_ids }: { tx_count: number; tx_ids: string[] }, at: Reading): void {
  if (tx_ids.length !== tx_count) throw contradiction(at, 'txCount', tx_count, 'transactions', tx_ids)
}

/** For answers that give no rows. Unknown fields are reported elsewhere. */
const withoutRows = quietContext()

/** Makes a decoder that returns what `read` gives for the newest item of an answer, or null if the answer has no items. */
export function newestOf<V>(list: string, chain: ListedChain | null, read: (at: Reading) => V) {
  return (answer: unknown): V | null => {
    const at = answerObject(answer, 'answer', withoutRows)
    if (chain !== null) statedChainName(at, chain)
    const [newest] = objects(at, list, read)
    nextPageToken(at)
    finish(at)
    return newest ?? null
  }
}

/**
 * Returns the time of an item's block in microseconds. If the answer also states milliseconds, they are used; they may differ from the
 * seconds by at most one second.
 */
export function blockTime(_: unknown, at: Reading): bigint {
  const stated = time(at, 'blockTimestamp')
  const precise = optionalMilliseconds(at, 'blockTimestampMilliseconds')
  if (precise === null) return stated
  if (precise - stated <= second && stated - precise <= second) return precise
  const [first, other] = ['blockTimestamp', 'blockTimestampMilliseconds']
  throw contradiction(at, first, raw(at, first), other, raw(at, other))
}

const second = 1_000_000n

/**
 * Throws `DecodeError` if a row belongs to another chain than the requested one. If the job names the chain by its blockchain id, a numeric
 * chain id cannot be compared.
 */
export function checkChain(at: Reading, chainId: string): void {
  const found = optionalText(at, 'chainId')
  if (found === null || found === chainId || isNumber(found) !== isNumber(chainId)) return
  throw new DecodeError(`The answer is about chain ${found}, not ${chainId}.`, {
    code: 'decode.other-chain',
    details: { 'asked for': chainId, found },
    hint: 'Nothing of this unit was written. Check the base URL of the profile and the chain id of the job.',
  })
}

function isNumber(chainId: string): boolean {
  return /^\d+$/.test(chainId)
}

/** Returns the standard that the service names, such as `ERC-1155`; null if it is unknown. */
export function standardOf(stated: string): TokenStandard | null {
  const [, digits] = /^ERC-(20|721|1155)$/i.exec(stated) ?? []
  return digits === undefined ? null : (`erc${digits}` as TokenStandard)
}

/** Throws `DecodeError` if the stated standard is not `expected`. `token` names the object with the token; null: the item itself. */
export function checkStandard(item: Reading, token: string | null, expected: TokenStandard): void {
  const { object } = item
  const stated = (token === null ? object : (object[token] as typeof object))['ercType']
  // Most answers write it like this, and reading the field takes longer than the rest.
  if (stated === `ERC-${expected.slice(3)}`) return
  const at = token === null ? item : reading(object[token], item, token, -1, item.context, tokenShape)
  const found = optionalText(at, 'ercType')
  if (found !== null && standardOf(found) !== expected) throw otherStandard(at, found)
}

/** The reader of the row reports the unknown fields of tokens. */
const tokenShape = newShape()

/** Returns the error about a standard without a table. The decoder does not guess where its rows belong. */
export function otherStandard(at: Reading, found: string): DecodeError {
  const path = pathOf(at)
  return new DecodeError(`${path} is of a token standard that chainlake does not know here: ${found}.`, {
    code: 'decode.token-standard',
    details: { item: path, found },
    hint: 'Nothing of this unit was written. Update chainlake, or leave the contract or wallet out of the job.',
  })
}

/** Returns the position of a row in its group. Positions count up over the pages of a slice; see `positionsOf`. */
export type Positions = (group: string, row: string) => number

/**
 * Numbers the rows of a group (for example the events of a block) that the source does not number. If items of a list moved to a later
 * page, that page repeats them: the n-th of several equal rows keeps the position that the n-th had on an earlier page. Only new rows get
 * the next position of their group. Call it once per page.
 */
export function positionsOf({ memory }: ReadingContext): Positions {
  const groups = getOrCreate(memory, 'positions', () => new Map()) as Map<string, Group>
  const seen = new Map<string, number>()
  return (group, row) => {
    const positions = groups.get(group) ?? { next: 0, of: new Map<string, number[]>() }
    if (positions.next === 0) groups.set(group, positions)
    const name = `${group} ${row}`
    const nth = seen.get(name) ?? 0
    seen.set(name, nth + 1)
    const known = positions.of.get(row)
    if (known === undefined) positions.of.set(row, [positions.next])
    else if (nth < known.length) return known[nth]!
    else known.push(positions.next)
    return positions.next++
  }
}

type Group = { next: number; readonly of: Map<string, number[]> }
