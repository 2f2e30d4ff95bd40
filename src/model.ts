import { hash } from 'node:crypto'
import type { TracedAccount } from '../codec/evm/state-diffs.ts'
import type { FxOrder } from '../codec/fxs.ts'

/** Types that the stages exchange. Pure data; no stage owns them. */

/** A half-open range `[from, to)` of a source: heights, container indices, blocks or microseconds. */
export type Slice = { readonly from: number; readonly to: number }

/**
 * The origin of rows. Network, path and parameters identify the stream; URLs, ranges and keys are not among them. The catalog has a row for
 * each stream, with these as columns.
 */
export type Stream = {
  /** Network name as stored in the column `network`. */
  readonly network: string
  /** Such as `P/block` for an index, or `tps/43114`. */
  readonly path: string
  /** What it reads: an index (`block`, `tx` or `vtx`), or what its pipeline reads, such as `evm-blocks` or `tps`. */
  readonly kind?: string | undefined
  /** The chain of the rows, if all are of one: `P`, `X`, `C`, a blockchain id, or the chain id of an EVM chain. */
  readonly chain?: string | undefined
  /** Parameters that select rows. The order of a list matters: another order is another stream. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>>
}

/** The stable text of a stream, such as `mainnet/P/block` or `mainnet/rest-utxos/P?addresses=…`. Nothing reads a stream from it. */
export function streamId(stream: Stream): string {
  return `${pathId(stream)}${parametersText(stream.parameters)}`
}

/** The text that streams with the same path share, such as `mainnet/rest-utxos/P`. */
export function pathId({ network, path }: Pick<Stream, 'network' | 'path'>): string {
  return `${network}/${path}`
}

/** Whether a stream has all records of its range: no parameter selects some of them. */
export function isWhole({ parameters }: Pick<Stream, 'parameters'>): boolean {
  return Object.keys(parameters).length === 0
}

/** The parameters in the text of a stream: `?addresses=…&includeSpent=true`, sorted by name; empty without any. */
export function parametersText(parameters: Stream['parameters']): string {
  const pairs = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${parameterText(value)}`).join('&')}`
}

/** Most characters of a value in a text. */
const longest = 120

/** The text of a value: a long one is replaced by its beginning and its hash. */
export function parameterText(value: string | readonly string[]): string {
  const text = String(value)
  if (text.length <= longest) return text
  const digest = hash('sha256', text).slice(0, 16)
  const [first, ...others] = typeof value === 'string' ? [text.slice(0, 48)] : value
  return others.length === 0 ? `${first}…:${digest}` : `${first}+${others.length}:${digest}`
}

/** One slice of one stream, with the tables that do not have it yet. */
export type Unit = { readonly stream: Stream; readonly slice: Slice; readonly tables: readonly string[] }

/** One state of one lake. Equal values mean the same state of the catalog, even after a restore from a backup. */
export type LakeSnapshot = {
  /** A UUID that the lake gets when it is created. */
  readonly lakeId: string
  readonly snapshotId: number
  /** The run that committed it; null for the first snapshot of a lake. */
  readonly runId: string | null
}

/** An accepted container of a node's index (specification 4.5, `index.getContainerRange`). */
export type Container = {
  readonly index: number
  /** CB58 text as the node returned it. */
  readonly id: string
  /** When the indexing node accepted it, in nanoseconds since 1970 UTC. It is not the block time. */
  readonly acceptedAtNs: bigint
  /** The payload, checksum verified and removed. */
  readonly bytes: Uint8Array
}

/** An accepted block of the P- or X-Chain, read by height over RPC: without the proposervm wrapper. */
export type HeightBlock = {
  readonly height: number
  /** The inner block, checksum verified and removed. */
  readonly bytes: Uint8Array
}

/** A block of an EVM chain as its RPC returned it. Only the number has been checked. */
export type EvmBlock = {
  readonly number: number
  /** The result of eth_getBlockByNumber with whole transactions, in the order of their indices unless its header proves the order. */
  readonly block: Readonly<Record<string, unknown>>
  /** The result of eth_getBlockReceipts, or a list of the results of eth_getTransactionReceipt. */
  readonly receipts: unknown
  /** How the answers about the block are not like those of most chains, where that may be right. */
  readonly remarks?: readonly string[]
}

/** Begins what a decoder tells about blocks that are not like those of most chains, where it tells of unknown fields. */
export const aboutBlocks = 'block: '

/** Logs of one block of an EVM chain that match a filter, as its RPC returned them, with their block. */
export type EvmBlockLogs = {
  readonly number: number
  /** The result of eth_getBlockByNumber. */
  readonly block: Readonly<Record<string, unknown>>
  /** The logs of the block from eth_getLogs, ordered by log index. */
  readonly logs: readonly Readonly<Record<string, unknown>>[]
  /** As those of `EvmBlock`. */
  readonly remarks?: readonly string[]
}

/**
 * Traces of a block of an EVM chain, as its RPC returned them. There is one of each transaction of the block, in order, for each tracer that
 * the source was created with.
 */
export type EvmBlockTraces = {
  readonly number: number
  /** The result of eth_getBlockByNumber: with whole transactions, or with their hashes if the hash of the block derives from its header. */
  readonly block: Readonly<Record<string, unknown>>
  readonly transactionHashes: readonly string[]
  /** Per tracer, in the order of the tracers: the result for each transaction; null if the chain does not trace the transaction. */
  readonly traces: readonly (readonly unknown[])[]
}

/**
 * The state that the transactions of a block of an EVM chain changed, as its node returned it: the diffs of the prestate tracer, and with
 * reads also the state that the transactions used.
 */
export type EvmBlockDiffs = EvmBlockTraces & {
  /** By address: the state after the block of accounts and slots that the diffs do not state. */
  readonly state: Readonly<Record<string, TracedAccount>>
}

/** What a node answered to one call: its result, or the error object. */
export type EvmOutcome = { readonly result: unknown } | { readonly refusal: EvmRefusal }

export type EvmRefusal = { readonly code: number; readonly message: string; readonly data: unknown }

/** What a node said about one subject at a block of an EVM chain, such as the balance of an account. */
export type EvmCell = {
  readonly number: number
  /** Name of the subject. */
  readonly subject: string
  /** The result of eth_getBlockByNumber, from the same batch as the outcomes, so that they belong to this block. */
  readonly block: Readonly<Record<string, unknown>>
  /** The outcome of each call about the subject, in order. */
  readonly outcomes: readonly EvmOutcome[]
}

/** Facts about the network that decoders need. They come from known constants or from the node, and the lake stores them. */
export type ChainContext = {
  /** Value of the column `network`. */
  readonly network: string
  readonly networkId: number
  /** Human-readable part of bech32 addresses. */
  readonly hrp: string
  /** The chain of the containers, as index paths name it: `P`, `X`, `C`, or its blockchain id. */
  readonly chain: string
  /** CB58 id of that chain; its alias when the id is unknown. */
  readonly blockchainId: string
  /** EIP-155 chain id of its EVM; null when the chain has no EVM or the id is unknown. */
  readonly evmChainId: number | null
  /** CB58 id of the native asset; null when it is unknown, and then `burned` is null. */
  readonly nativeAssetId: string | null
  /** Activation of Durango in Unix seconds: from then on, the network ignores the start time that a transaction states. Null: treated as never. */
  readonly durangoTime: number | null
  /**
   * Feature extensions of a chain of the asset VM other than the X-Chain, in the order of its CreateChainTx. Null: those of the X-Chain of
   * the primary network.
   */
  readonly fxs: FxOrder | null
}

/**
 * Ids at the ends of a slice, which show whether it joins its neighbours. An id is null when it is unknown: a part of the slice came from
 * a source without such ids, or a record has no single parent.
 */
export type SliceEnds = {
  readonly firstId: string | null
  readonly firstParentId: string | null
  readonly lastId: string | null
}

/** A contiguous part of a list. All of its items are committed. The list is read from its newest item down, or from its oldest item up. */
export type ReadStretch = {
  /** Unix seconds of the newest item; null where items have no time. */
  readonly topTime: number | null
  /** Unix seconds of the oldest item; null where items have no time. */
  readonly bottomTime: number | null
  /** Whether the list ends at the bottom of this stretch. For a list that is read upwards: whether a run has reached its end. */
  readonly end: boolean
  /**
   * The list ended here although lower stretches, or a page that an earlier answer had promised, were not reached. `open`: the end is not
   * believed, `accepted`: the user accepted it. Null: no such end. A stretch without items records the end of an empty list.
   */
  readonly hole: 'open' | 'accepted' | null
  /** Number of items, without those of lower stretches and without late items. */
  readonly items: number
}

/** A stretch with what its walk needs to continue. The ends are the keys of the first and the last page, as texts. */
export type Stretch = ReadStretch & {
  readonly topKeys: readonly string[]
  readonly bottomKeys: readonly string[]
  /** Token of the next page: the one below, or the one above if the list is read upwards. Null: there is no page or no usable token. */
  readonly token: string | null
  /** When the source issued the token, in milliseconds since 1970 UTC. */
  readonly tokenAtMs: number | null
}

export const noStretch: Stretch = {
  topKeys: [],
  topTime: null,
  bottomKeys: [],
  bottomTime: null,
  token: null,
  tokenAtMs: null,
  end: false,
  hole: null,
  items: 0,
}

/** Whether a list ends at the bottom of a stretch, as far as a run or the user decided. */
export function isEnd({ end, hole }: ReadStretch): boolean {
  return end || hole === 'accepted'
}

/** The number of items in stretches. */
export function itemsOf(stretches: readonly ReadStretch[]): number {
  return stretches.reduce((sum, { items }) => sum + items, 0)
}

/** The progress of a stream after a commit. */
export type Progress =
  /**
   * A range of the source. `ends` are the ids of its records (containers, blocks of an EVM chain); null if records do not reference
   * their predecessors. `blockEnds` are the ids of the blocks in the records, if they differ from the ids of the records.
   */
  | {
      readonly kind: 'slice'
      readonly slice: Slice
      readonly ends: SliceEnds | null
      readonly blockEnds?: SliceEnds | null
    }
  /** All stretches of the stream, newest first. They replace the stored ones. */
  | { readonly kind: 'stretches'; readonly stretches: readonly Stretch[] }
  /** Completes the open observation. The commit makes its staged parts visible, ahead of `parts`, or drops them. */
  | { readonly kind: 'observation'; readonly observationId: string; readonly staged: 'keep' | 'discard' }
  /** No progress to record: the rows themselves show what was read. */
  | { readonly kind: 'none' }

/** Statistics of a leaf column in a file. */
export type LeafStats = {
  readonly fieldId: number
  readonly columnBytes: number
  /** Number of values, nulls included. */
  readonly valueCount: number
  readonly nullCount: number
  /** Bounds in the text form of DuckLake: digits, `2024-01-15 12:30:00.123456+00`, text or hexadecimal; null when unknown. */
  readonly min: string | null
  readonly max: string | null
}

/** A finished Parquet file at its final path. It is not visible until a commit adds it. */
export type Part = {
  readonly table: string
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
  /** Length of the Parquet metadata in bytes (the thrift footer, without length word and magic). */
  readonly footerBytes: number
  /** SHA-256 of the whole file, hexadecimal. */
  readonly sha256: string
  /** One value for each key of the table's `partitionBy`: text, `2026-11`, `2026-11-21`; null for rows without a time. */
  readonly partition: readonly (string | null)[]
  readonly stats: readonly LeafStats[]
}

/** A data file of a table, as the catalog names it. */
export type CatalogFile = {
  readonly id: number
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
  /**
   * One text for each key of the partitioning with which the file was written, as in `Part`: `mainnet`, `2026-11`, `2026-11-21`; null for
   * rows without a value.
   */
  readonly partition: readonly (string | null)[]
}

/** A range of a stream in a table of the lake, or rows of a stream that is a list. */
export type ReadRange = {
  readonly network: string
  readonly stream: string
  /** The pipeline of the stream, as runs recorded it. */
  readonly pipeline?: string | null
  readonly table: string
  /** What a range counts, in the plural: `containers`, `blocks`, `seconds`; `records` for lists. */
  readonly unit: string
  /** The first coordinate and the one after the last; null for lists. */
  readonly slice: Slice | null
  readonly rows: number
  /** When a commit last added to the range, in microseconds since 1970; null where its snapshot has expired. */
  readonly committedMicros: number | null
}

/** Stored versions of a table may not be the latest ones, because a file with later versions was lost. */
export type Loss = {
  readonly table: string
  /** Null: rows of all networks. */
  readonly network: string | null
  /** Versions up to this time of their observation are affected, in microseconds since 1970 UTC. */
  readonly observedTo: bigint
}
