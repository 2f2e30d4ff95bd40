import type { Dialect } from '../../index/methods.ts'
import { firstWhere, remembered } from '../../lib.ts'
import type { Rows } from '../plumbing/pages.ts'
import { listRoute, type ServiceRoute, type ServiceSettings, totalsOf } from '../plumbing/route.ts'
import { integer } from '../plumbing/rules.ts'
import { walletsOf } from './holdings.ts'
import { receiverCallsOf } from './inner-calls.ts'
import { erc20Of, partyOf, receiverCallItem, transactionItem, transferItem } from './items.ts'
import type { EvmBlock, EvmLedger, EvmState, EvmTransfer, Standard } from './state.ts'

const pageSize = { default: 10, most: 100 }
const parameters = { startBlock: integer({ least: 0 }), endBlock: integer({ least: 0 }) }

/** The lists of a wallet's transfers, by their names in paths. */
const walletLists = { listErc20: 'ERC-20', listErc721: 'ERC-721', listErc1155: 'ERC-1155' } as const

type Range = { readonly startBlock: number | undefined; readonly endBlock: number | undefined }

/** Transfers of a wallet and of a token (specification 000, 4.4), newest first. */
export function transferRoutes(ledger: EvmLedger): ServiceRoute[] {
  const stores: Stores = {
    spec: createTextStore(createTransferTexts('spec')),
    node: createTextStore(createTransferTexts('node')),
  }
  return [
    ...Object.entries(walletLists).map(([name, standard]) =>
      listRoute({
        path: `/v1/chains/{chainId}/addresses/{address}/transactions:${name}`,
        parameters,
        pageSize,
        cost: 'medium',
        handle: async ({ parts: { address }, query, settings }) => {
          const state = await ledger.atHead()
          return {
            items: 'transactions',
            rows: rowsOf(state, state.transfersWith(address, standard), query, settings, stores),
          }
        },
      }),
    ),
    listRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/transactions:listNative',
      parameters,
      pageSize,
      cost: 'medium',
      totals: async () => {
        const state = await ledger.atHead()
        const wallets = new Set(walletsOf(state))
        const sent = state.transactions.filter(({ from, to }) => wallets.has(from) || (to !== null && wallets.has(to)))
        const calls = [...wallets].flatMap((wallet) => receiverCallsOf(state, wallet))
        return {
          rest_native_transactions: totalsOf(sent, {
            amount: ({ value }) => value,
            gas_used: ({ result }) => BigInt(result.gasUsed),
          }),
          rest_internal_transactions: totalsOf(calls),
        }
      },
      handle: async ({ parts: { address }, query, settings: { dialect } }) => {
        const state = await ledger.atHead()
        return {
          items: 'transactions',
          rows: newestFirst(state.transactionsWith(address), query, (each) => transactionItem(each, dialect)),
        }
      },
    }),
    listRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/transactions:listInternals',
      parameters,
      pageSize,
      cost: 'medium',
      handle: async ({ parts: { address }, query, settings: { dialect } }) => {
        const calls = receiverCallsOf(await ledger.atHead(), address)
        return { items: 'transactions', rows: newestFirst(calls, query, (each) => receiverCallItem(each, dialect)) }
      },
    }),
    listRoute({
      path: '/v1/chains/{chainId}/tokens/{address}/transfers',
      parameters,
      pageSize,
      cost: 'medium',
      totals: async () => {
        const { transfers } = await ledger.atHead()
        const of = (standard: Standard) => transfers.filter(({ token }) => token.standard === standard)
        const amount = ({ value }: EvmTransfer) => value
        return {
          rest_erc20_transfers: totalsOf(of('ERC-20'), { amount }),
          rest_erc721_transfers: totalsOf(of('ERC-721')),
          rest_erc1155_transfers: totalsOf(of('ERC-1155'), { amount }),
        }
      },
      handle: async ({ parts: { address }, query, settings }) => {
        const state = await ledger.atHead()
        return { items: 'transfers', rows: rowsOf(state, state.transfersOf(address), query, settings, stores) }
      },
    }),
  ]
}

/** The items in a range of blocks, newest first. */
function newestFirst<T extends Pick<EvmTransfer, 'block'>>(
  list: readonly T[],
  { startBlock, endBlock }: Range,
  itemOf: (each: T) => object,
): Rows {
  const { from, to } = sliceOf(list, startBlock, endBlock)
  return { count: to - from, at: (index) => itemOf(list[to - 1 - index]!) }
}

/** Texts of ERC-20 transfers by dialect. */
type Stores = Readonly<Record<Dialect, TextStore>>

function rowsOf(
  state: EvmState,
  transfers: readonly EvmTransfer[],
  { startBlock, endBlock }: Range,
  { dialect }: ServiceSettings,
  stores: Stores,
): Rows {
  const { from, to } = sliceOf(transfers, startBlock, endBlock)
  const rows: Rows = {
    count: to - from,
    at: (index) => transferItem(transfers[to - 1 - index]!, state, dialect),
  }
  if (transfers[0]?.token.standard !== 'ERC-20') return rows
  return { ...rows, texts: (first, end) => stores[dialect].newestFirst(transfers, to - end, to - first) }
}

/** A transfer or transaction in its block. */
type Placed = { readonly block: Pick<EvmBlock, 'number'> }

/** Positions `[from, to)` of the transfers in blocks `[startBlock, endBlock)`, in a list in chain order. */
function sliceOf(
  transfers: readonly Placed[],
  startBlock: number | undefined,
  endBlock: number | undefined,
): { readonly from: number; readonly to: number } {
  const firstFrom = (blockNumber: number): number => firstWhere(transfers, ({ block }) => block.number >= blockNumber)
  const from = startBlock === undefined ? 0 : firstFrom(startBlock)
  const to = endBlock === undefined ? transfers.length : firstFrom(endBlock)
  return { from, to: Math.max(from, to) }
}

/** Creates the JSON text of an ERC-20 transfer. */
type TransferTexts = (transfer: EvmTransfer) => string

/**
 * Creates the texts of `transferItem` for ERC-20 from shared pieces, which is six times as fast. The pieces of addresses and tokens are
 * cached; those of a block are cached while its transfers follow each other.
 */
export function createTransferTexts(dialect: Dialect): TransferTexts {
  const parties = remembered((address: string) => JSON.stringify(partyOf(address)))
  const tokens = remembered((token: EvmTransfer['token']) => JSON.stringify(erc20Of(token, dialect)))
  let lastBlock: EvmBlock | null = null
  let head = ''
  return ({ token, block, txHash, logIndex, from, to, value }) => {
    if (block !== lastBlock) {
      lastBlock = block
      head = headOf(block, dialect)
    }
    return `${head}"${txHash}","from":${parties(from)},"to":${parties(to)},"logIndex":${logIndex},"value":"${value}","erc20Token":${tokens(token)}}`
  }
}

/** The start of the text, up to the hash of the transaction. */
function headOf(block: EvmBlock, dialect: Dialect): string {
  const { milliseconds } = block
  const more = dialect === 'node' && milliseconds !== null ? `"blockTimestampMilliseconds":${milliseconds},` : ''
  return `{"blockNumber":"${block.number}","blockTimestamp":${block.time},${more}"blockHash":"${block.hash}","txHash":`
}

/** The JSON texts of lists of transfers, newest first. They are cached, because the same pages are requested repeatedly. */
type TextStore = {
  /** Texts of the transfers `[from, to)` of a list that only grows, last transfer first, separated by commas, in pieces. */
  newestFirst(transfers: readonly EvmTransfer[], from: number, to: number): Buffer[]
}

/** The number of transfers of a segment. Texts of full segments are cached. */
const segment = 128
/** Maximum size of the cached texts in bytes. Beyond it, the cache is cleared. */
const mostBytes = 256 << 20

/** Concatenated texts, each followed by a comma, the last transfer first. */
type Segment = { readonly bytes: Buffer; readonly starts: Uint32Array }

const comma = Buffer.from(',')

export function createTextStore(textOf: TransferTexts): TextStore {
  let kept = new Map<readonly EvmTransfer[], Map<number, Segment>>()
  let bytes = 0
  const segmentOf = (transfers: readonly EvmTransfer[], number: number): Segment => {
    const known = kept.get(transfers)?.get(number)
    if (known !== undefined) return known
    const members = transfers.slice(number * segment, (number + 1) * segment)
    const made = makeSegment(members.reverse().map(textOf))
    if (members.length === segment) keep(transfers, number, made)
    return made
  }
  const keep = (transfers: readonly EvmTransfer[], number: number, made: Segment): void => {
    if (bytes + made.bytes.length > mostBytes) {
      kept = new Map()
      bytes = 0
    }
    const segments = kept.get(transfers) ?? new Map<number, Segment>()
    kept.set(transfers, segments.set(number, made))
    bytes += made.bytes.length
  }
  return {
    newestFirst: (transfers, from, to) => {
      const pieces: Buffer[] = []
      for (let end = to; end > from; ) {
        const number = Math.floor((end - 1) / segment)
        const low = Math.max(from, number * segment)
        const { bytes, starts } = segmentOf(transfers, number)
        // The last transfer of the segment is its first text.
        const last = number * segment + starts.length - 1
        if (pieces.length > 0) pieces.push(comma)
        pieces.push(bytes.subarray(starts[last - end], starts[last - low]! - 1))
        end = low
      }
      return pieces
    },
  }
}

function makeSegment(texts: readonly string[]): Segment {
  const starts = new Uint32Array(texts.length + 1)
  const bytes = Buffer.from(texts.map((text) => `${text},`).join(''))
  texts.forEach((text, at) => {
    starts[at + 1] = starts[at]! + Buffer.byteLength(text) + 1
  })
  return { bytes, starts }
}
