import { cContainerHeight } from '../../codec/c.ts'
import { containerId, plainContainerId } from '../../codec/containers.ts'
import type { FxOrder } from '../../codec/fxs.ts'
import { pContainerHeight } from '../../codec/p.ts'
import { xContainerHeight } from '../../codec/x.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../pipelines/x-transactions.ts'
import { xVerticesPipeline } from '../../pipelines/x-vertices.ts'
import { pTransactions } from '../../schemas/p-chain.ts'
import type { CoverageRow, Inventory } from '../catalog/catalog.ts'
import type { Facts, NetworkIdentity, Pipeline, Range, RangeOutput, Table } from '../define/index.ts'
import { sqlText } from '../lib/text.ts'
import type { Container, Slice, Stream } from '../model.ts'
import { subtract } from '../plan/intervals.ts'
import { fxOrder } from '../sources/node-index.ts'
import { chainNames, type LakeRows, partStarts, rowsOfChain, slicesOf } from './lake.ts'
import type { Remark, Unverifiable } from './report.ts'

/** The slices that `there` covers and `missing` does not, by stream: a repair removed them, and the next run reads them again. */
export function waitingFor(
  inventory: Pick<Inventory, 'coverage'>,
  missing: Pick<Table, 'name'>,
  there: Pick<Table, 'name'>,
) {
  const own = inventory.coverage.filter(({ table }) => table === there.name)
  return [...new Map(own.map(({ stream, origin }) => [stream, origin]))].flatMap(([stream, origin]) => {
    const slices = subtract(slicesOf(inventory, stream, there), slicesOf(inventory, stream, missing))
    return slices.length === 0 ? [] : [{ stream, origin, slices }]
  })
}

/** An SQL condition that selects the rows in waiting slices. It selects all rows without a height, which predate the linear X-Chain. */
export function waitingCondition(inventory: Inventory, table: Table, waiting: ReturnType<typeof waitingFor>): string {
  const chains = waiting.map(({ origin: { network, chain = '', kind }, slices }) => ({
    network,
    chain,
    slices: kind === 'tx' ? null : slices,
  }))
  return rowsBetween(inventory, table, chains)
}

type ChainSlices = { readonly network: string; readonly chain: string; readonly slices: readonly Slice[] | null }

/** An SQL condition that selects the rows of slices of chains, by their names in streams; `null`: the rows without a height. */
export function rowsBetween(inventory: Inventory, table: Table, chains: readonly ChainSlices[]): string {
  const place = 'block_number' in table.columns ? 'block_number' : 'height'
  const each = chains.flatMap(({ network, chain, slices }) => {
    if (slices?.length === 0) return []
    const places = slices?.map(({ from, to }) => `${place} BETWEEN ${from} AND ${to - 1}`) ?? [`${place} IS NULL`]
    return [`(${rowsOfChain(inventory, table, network, chain)} AND (${places.join(' OR ')}))`]
  })
  return `(${each.join(' OR ') || 'false'})`
}

/** Remarks about slices that some tables of a stream cover and others do not. */
export async function waitingRemarks(inventory: Inventory): Promise<Remark[]> {
  const remarks: Remark[] = []
  for (const row of new Map(inventory.coverage.map((row) => [row.stream, row])).values()) {
    const { stream } = row
    const tables = (await tablesReadTogether(inventory, row)).map((name) => ({ name }))
    const covered = tables.flatMap((table) => slicesOf(inventory, stream, table))
    for (const { name: table } of tables) {
      const slices = subtract(covered, slicesOf(inventory, stream, { name: table }))
      if (slices.length === 0) continue
      const shown = slices.slice(0, 5).map(({ from, to }) => `[${from}, ${to})`)
      const more = slices.length > shown.length ? ` and ${slices.length - shown.length} more` : ''
      const message = `The next run reads ${shown.join(', ')}${more} of ${stream} for ${table}: other tables of the stream cover them, ${table} does not (usual after a repair).`
      remarks.push({ stream, table, message })
    }
  }
  return remarks
}

/** Approximately how many rows of all tables are in a window, and how many blocks at most. */
const rowsAtOnce = 30_000
const mostBlocks = 50_000

export type ChainBlocks = Slice & { readonly network: string; readonly chainId: string }

/**
 * The blocks that a table and all others cover, from the first ones on, in windows with few rows of each, and the coverage that each is part of. After a repair removed rows of another
 * table, the rows that belong to them stay: the next run reads the removed ones again.
 */
export async function* windowsOf(
  rows: LakeRows,
  table: Table,
  others: readonly Table[],
): AsyncGenerator<ChainBlocks & { readonly row: CoverageRow }> {
  const cut = await windowCutter(rows, [table, ...others])
  const waiting = others.flatMap((other) => waitingFor(rows.inventory, other, table))
  const covered = rows.inventory.coverage.filter((row) => row.table === table.name)
  for (const row of covered.toSorted((a, b) => a.slice.from - b.slice.from)) {
    const without = waiting.filter(({ stream }) => stream === row.stream).flatMap(({ slices }) => slices)
    const chain = { network: row.network, chainId: row.origin.chain ?? '' }
    for (const slice of subtract([row.slice], without))
      for (const window of cut(slice)) yield { ...window, ...chain, row: { ...row, slice } }
  }
}

/** Cuts slices of blocks into windows with few rows of tables, also where blocks have many rows. */
export async function windowCutter(
  rows: LakeRows,
  tables: readonly Table[],
): Promise<(slice: Slice) => Generator<Slice>> {
  const starts = await partStarts(rows, tables, 'block_number', rowsAtOnce)
  return function* ({ from, to }) {
    const within = starts.filter((at) => at > from && at < to)
    for (const [part, start] of [from, ...within].entries()) {
      const end = within[part] ?? to
      for (let at = start; at < end; at += mostBlocks) yield { from: at, to: Math.min(end, at + mostBlocks) }
    }
  }
}

/** SQL that begins with FROM: the rows of a table that are of these blocks and meet conditions. */
export async function fromBlocks(
  rows: LakeRows,
  table: Table,
  { network, chainId, from, to }: ChainBlocks,
  conditions: readonly string[] = [],
): Promise<string> {
  const files = await rows.filesBetween(table, 'block_number', { from, to: to - 1 })
  const all = [
    `network = ${sqlText(network)} AND chain_id = ${sqlText(chainId)} AND block_number >= ${from} AND block_number < ${to}`,
    ...conditions,
  ]
  return `FROM ${rows.relation(table, files)} WHERE ${all.join(' AND ')}`
}

/** How to decode containers of a stream into rows. */
export type StreamDecoder = {
  /** The value of the column `chain` of raw containers. */
  readonly chain: string
  readonly derive: (bytes: Uint8Array) => string
  /** The height of the block in a container; null if the container holds no block. */
  readonly heightOf: (bytes: Uint8Array) => bigint | null
  readonly output: RangeOutput<Container>
  readonly context: unknown
}

const pipelinesByKind: Readonly<Record<string, Pipeline>> = {
  block: xBlocksPipeline,
  tx: xTransactionsPipeline,
  vtx: xVerticesPipeline,
}
const heightsByChain: Readonly<Record<string, StreamDecoder['heightOf']>> = { P: pContainerHeight, C: cContainerHeight }
const pipelinesByChain: Readonly<Record<string, Pipeline>> = { P: pBlocksPipeline, C: cBlocksPipeline }

/**
 * Returns null for streams that are not read from an index of a known chain. `fxs` are the feature extensions of another chain of the asset
 * VM; pass null when only the tables matter. `recovers`: if the lake has signatures and signers of transactions, the decoder recovers them from
 * the bytes, too.
 */
export async function decoderOf(
  { inventory }: Pick<LakeRows, 'inventory'>,
  { network, stream, origin }: Pick<CoverageRow, 'network' | 'stream' | 'origin'>,
  fxs: FxOrder | null,
  { recovers = false } = {},
): Promise<StreamDecoder | null> {
  const pipeline = pipelineOf(origin)
  const known = inventory.networks.find((each) => each.network === network)
  if (pipeline === undefined || known === undefined) return null
  const isBlock = origin.kind === 'block'
  const values = 'chain' in pipeline.parameters ? { chain: origin.chain } : {}
  const [declared] = await pipeline.streams(values, knownFacts({ ...known, warnings: [] }, fxs))
  if (declared === undefined) return null
  const { outputs, context } = declared.walk as Range<Container>
  const [output] = outputs
  const more = pipeline.optional['credentials'] ?? {}
  const isThere = Object.values(more).some((table) => slicesOf(inventory, stream, table).length > 0)
  const readMore = recovers && isThere ? await pipeline.decoders['signers']?.() : undefined
  return {
    chain: chainNames(inventory, origin).raw,
    derive: isBlock ? containerId : plainContainerId,
    heightOf: isBlock ? (heightsByChain[origin.chain ?? ''] ?? xContainerHeight) : () => null,
    context,
    output:
      readMore === undefined
        ? output
        : {
            tables: { ...output.tables, ...more },
            read: (record, context) => ({ ...output.read(record, context), ...readMore(record, context) }),
          },
  }
}

/** The facts of streams of a chain that is known already, so that no request is sent. */
export function knownFacts(identity: NetworkIdentity, fxs: FxOrder | null): Facts {
  return {
    get service(): never {
      throw new TypeError('Streams of containers use no service.')
    },
    node: async () => identity,
    ask: async (): Promise<any> => fxs,
    async askService(): Promise<never> {
      throw new TypeError('Streams of containers use no service.')
    },
  }
}

/** The tables that every run of the stream fills; empty for a stream that is not a range of blocks. */
async function tablesReadTogether(inventory: Inventory, row: CoverageRow): Promise<string[]> {
  if (row.origin.kind === evmBlocksPipeline.name) return Object.values(evmBlocksPipeline.tables).map(({ name }) => name)
  const decoder = await decoderOf({ inventory }, row, null)
  return decoder === null ? [] : (Object.values(decoder.output.tables) as Table[]).map(({ name }) => name)
}

/** The pipeline of chainlake that reads the containers of a stream. */
export function pipelineOf({ kind = '', chain = '' }: Pick<Stream, 'kind' | 'chain'>): Pipeline | undefined {
  return (kind === 'block' ? pipelinesByChain[chain] : undefined) ?? pipelinesByKind[kind]
}

export function hasOwnTypes(chain: string): boolean {
  return !/^[PXC]$/.test(chain)
}

/** Feature extensions of another chain of the asset VM, from its CreateChainTx in the lake; null for P, X and C. */
export async function fxsInLake(rows: LakeRows, row: CoverageRow): Promise<FxOrder | null | 'unknown'> {
  const chain = row.origin.chain ?? ''
  if (!hasOwnTypes(chain)) return null
  if (rows.torn(pTransactions)) return 'unknown'
  const [found] = await rows.engine.rows(
    `SELECT fx_ids FROM ${rows.relation(pTransactions, rows.filesOf(pTransactions))}
     WHERE network = ${sqlText(row.network)} AND tx_id = ${sqlText(chain)} AND tx_type = 'CreateChainTx' LIMIT 1`,
  )
  return found === undefined ? 'unknown' : fxOrder(chain, found['fx_ids'] as string[])
}

export function fxsUnknown({ stream, table }: Pick<CoverageRow, 'stream' | 'table'>): Unverifiable {
  return {
    table,
    stream,
    reason:
      'the CreateChainTx of this chain, which determines how its containers are decoded, is not in the lake: run p-blocks to export it.',
  }
}
