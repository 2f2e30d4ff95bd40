/** What passes between the stages. Pure data; no stage owns it. */

/** A half-open range `[from, to)` of a source: container indices, heights, blocks or microseconds. */
export type Slice = { readonly from: number; readonly to: number }

/** What a table's rows are rows of. The text of its parts is the identity; URLs, ranges and keys are not in it. */
export type Stream = {
  /** Network name as stored in the column `network`. */
  readonly network: string
  /** Such as `P/block` for an index, or `chains` for the chains of the network. */
  readonly path: string
  /** Parameters that select rows, sorted by name. */
  readonly parameters: Readonly<Record<string, string>>
}

/** The stable text of a stream, such as `mainnet/P/block` or `mainnet/rest-utxos?addresses=…`. */
export function streamId(stream: Stream): string {
  const query = Object.entries(stream.parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  return `${stream.network}/${stream.path}${query === '' ? '' : `?${query}`}`
}

/** One slice of one stream, with the tables that still lack it: the atom of work and of commit. */
export type Unit = { readonly stream: Stream; readonly slice: Slice; readonly tables: readonly string[] }

/** Which state of which lake: equal texts and numbers mean the same catalog, also where one was restored from a backup. */
export type LakeSnapshot = {
  /** A UUID that the lake has from its beginning. */
  readonly lakeId: string
  readonly snapshotId: number
  /** The run that committed it; null for the snapshot that a lake begins with. */
  readonly runId: string | null
}

/** An accepted container of a node's index (specification 4.5, `index.getContainerRange`). */
export type Container = {
  readonly index: number
  /** CB58 text as the node gave it. */
  readonly id: string
  /** Nanoseconds since 1970 UTC when the indexing node accepted it; not a block time. */
  readonly acceptedAtNs: bigint
  /** The payload, checksum verified and removed. */
  readonly bytes: Uint8Array
}

/** An accepted block of the P or X chain as its RPC gives it by height: without the proposervm wrapper. */
export type HeightBlock = {
  /** Where its container stands in the index of a node that has one: height - 1. */
  readonly index: number
  /** The inner block, checksum verified and removed. */
  readonly bytes: Uint8Array
}

/** A block of an EVM chain as its RPC answered: of what is in it only the number has been looked at. */
export type EvmBlock = {
  readonly number: number
  /** The result of eth_getBlockByNumber with whole transactions. */
  readonly block: Readonly<Record<string, unknown>>
  /** The result of eth_getBlockReceipts, or those of eth_getTransactionReceipt in a list. */
  readonly receipts: unknown
}

/** Logs of one block of an EVM chain that pass a filter, as its RPC answered, with the block that they are of. */
export type EvmBlockLogs = {
  readonly number: number
  /** The result of eth_getBlockByNumber. */
  readonly block: Readonly<Record<string, unknown>>
  /** What eth_getLogs gave of the block, in the order of the log indices. */
  readonly logs: readonly Readonly<Record<string, unknown>>[]
}

/** A feature extension of the asset VM: a family of types of outputs, inputs, operations and credentials. */
export type Fx = 'secp256k1fx' | 'nftfx' | 'propertyfx'
/**
 * The feature extensions of a chain of the asset VM, in the order that its CreateChainTx lists. They number its types: the ids of
 * outputs, inputs, operations, credentials and blocks depend on it.
 */
export type FxOrder = readonly Fx[]

/** What decoders need to know of the network; from known constants or the node, stored with the lake. */
export type ChainContext = {
  /** Value of the column `network`. */
  readonly network: string
  readonly networkId: number
  /** Human-readable part of bech32 addresses. */
  readonly hrp: string
  /** The chain that the containers belong to, as index paths name it: `P`, `X`, `C`, else its blockchain id. */
  readonly chain: string
  /** CB58 id of that chain; its alias when nobody said the id. */
  readonly blockchainId: string
  /** Chain id that transactions of its EVM are signed for; null where it has none or nobody knows it. */
  readonly evmChainId: number | null
  /** CB58 id of the native asset; null when nobody said it: then `burned` is null. */
  readonly nativeAssetId: string | null
  /** Activation of Durango in Unix seconds (from then a stated start time is ignored); null when unknown: never. */
  readonly durangoTime: number | null
  /**
   * Of another chain of the asset VM its feature extensions, in the order of its CreateChainTx, which numbers its types; null: those of
   * the primary network's X chain.
   */
  readonly fxs: FxOrder | null
}

/**
 * What the ends of a slice say of their neighbours, so that slices can be joined: ids as texts. One is null where nobody said it: a part
 * of the slice came from a source without such ids, or a record has no single parent.
 */
export type SliceEnds = {
  readonly firstId: string | null
  readonly firstParentId: string | null
  readonly lastId: string | null
}

/**
 * A run of neighbouring items of a list that is walked from its newest item downwards, or upwards from its oldest: all of them are
 * committed. Its ends are the keys of
 * the pages there, as texts.
 */
export type Stretch = {
  readonly topKeys: readonly string[]
  /** Unix seconds of the newest item; null where items have no time. */
  readonly topTime: number | null
  readonly bottomKeys: readonly string[]
  /** Unix seconds of the oldest item; null where items have no time. */
  readonly bottomTime: number | null
  /** Asks for the page below, of a list that is walked upwards for one at its top; null when there is none or the token is of no use. */
  readonly token: string | null
  /** When the token was given, milliseconds since 1970 UTC. */
  readonly tokenAtMs: number | null
  /** Whether the list ends at its bottom; of a list that is walked upwards, whether its end was reached once. */
  readonly end: boolean
  /** Items that are in no stretch below it, without those that came late. */
  readonly items: number
}

/** How far a stream is once the parts of a commit are there. */
export type Progress =
  /**
   * A range of the source. `ends`: of its records (containers, blocks of an EVM chain), null where they have no ids that follow one
   * another; `blockEnds`: of the blocks in them, where these are told apart.
   */
  | {
      readonly kind: 'slice'
      readonly slice: Slice
      readonly ends: SliceEnds | null
      readonly blockEnds?: SliceEnds | null
    }
  /** The stream's stretches, newest first, instead of those before. */
  | { readonly kind: 'stretches'; readonly stretches: readonly Stretch[] }
  /** The end of the open observation: its staged parts become files before `parts`, or are dropped. */
  | { readonly kind: 'observation'; readonly observationId: string; readonly staged: 'publish' | 'discard' }
  /** Rows that say for themselves that they are done. */
  | { readonly kind: 'none' }

export type LeafStats = {
  readonly fieldId: number
  readonly columnBytes: number
  /** Values with the nulls, as DuckLake counts. */
  readonly valueCount: number
  readonly nullCount: number
  /** As DuckLake writes them: digits, `2024-01-15 12:30:00.123456+00`, text, hex; null where unknown. */
  readonly min: string | null
  readonly max: string | null
}

/** A finished Parquet file at its final place, not yet visible. */
export type Part = {
  readonly table: string
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
  /** Length of the Parquet metadata (the thrift footer, without length word and magic). */
  readonly footerBytes: number
  /** Of all its bytes, hexadecimal. */
  readonly sha256: string
  /** One value for each key of the table's `partitionBy`: text, `2026-11`, `2026-11-21`; null for rows without a time. */
  readonly partition: readonly (string | null)[]
  readonly stats: readonly LeafStats[]
}
