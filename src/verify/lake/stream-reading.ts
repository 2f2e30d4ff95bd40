import { cContainerHeight } from '../../../codec/c/container.ts'
import { containerId, plainContainerId } from '../../../codec/container-id.ts'
import { pContainerHeight } from '../../../codec/p/container.ts'
import { xContainerHeight } from '../../../codec/x/container.ts'
import type { FxOrder } from '../../../codec/x/fxs.ts'
import { cBlocksPipeline } from '../../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../../pipelines/x-transactions.ts'
import { xVerticesPipeline } from '../../../pipelines/x-vertices.ts'
import type { CoverageRow, Inventory } from '../../catalog/catalog.ts'
import type { Facts, NetworkIdentity, Pipeline, Range, RangeOutput, Table } from '../../define/index.ts'
import type { Container, Stream } from '../../model.ts'
import type { LakeRows } from './lake-rows.ts'
import { chainNames } from './sequences.ts'

/** How to decode containers of a stream into rows. */
export type Reading = {
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
const heightsByChain: Readonly<Record<string, Reading['heightOf']>> = { P: pContainerHeight, C: cContainerHeight }
const pipelinesByChain: Readonly<Record<string, Pipeline>> = { P: pBlocksPipeline, C: cBlocksPipeline }

/**
 * Returns null for streams that are not read from an index of a known chain. `fxs` are the feature extensions of another chain of the asset
 * VM; pass null when only the tables matter.
 */
export async function readingOf(
  { inventory }: Pick<LakeRows, 'inventory'>,
  { network, origin }: CoverageRow,
  fxs: FxOrder | null,
): Promise<Reading | null> {
  const pipeline = pipelineOf(origin)
  const known = inventory.networks.find((each) => each.network === network)
  if (pipeline === undefined || known === undefined) return null
  const isBlock = origin.kind === 'block'
  const values = 'chain' in pipeline.parameters ? { chain: origin.chain } : {}
  const [declared] = await pipeline.streams(values, knownFacts({ ...known, warnings: [] }, fxs))
  if (declared === undefined) return null
  const { outputs, context } = declared.walk as Range<Container>
  return {
    chain: chainNames(inventory, origin).raw,
    derive: isBlock ? containerId : plainContainerId,
    heightOf: isBlock ? (heightsByChain[origin.chain ?? ''] ?? xContainerHeight) : () => null,
    output: outputs[0],
    context,
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

/** Like `readingOf`. If the lake has signatures and signers of transactions, it also recovers them from the bytes. */
export async function readingWithSignatures(
  rows: Pick<LakeRows, 'inventory'>,
  row: CoverageRow,
  fxs: FxOrder | null,
): Promise<Reading | null> {
  const reading = await readingOf(rows, row, fxs)
  const pipeline = pipelineOf(row.origin)
  const tables = pipeline?.optional['credentials'] ?? {}
  const isThere = rows.inventory.coverage.some(
    (other) => other.stream === row.stream && Object.values(tables).some((table) => table.name === other.table),
  )
  const load = pipeline?.threads['signers']
  if (reading === null || !isThere || load === undefined) return reading
  const { output } = reading
  const read = await load()
  return {
    ...reading,
    output: {
      tables: { ...output.tables, ...tables },
      read: (record, context) => ({ ...output.read(record, context), ...read(record, context) }),
    },
  }
}

/** The tables that every run of the stream fills; empty for a stream that is not a range of blocks. */
export async function tablesReadTogether(inventory: Inventory, row: CoverageRow): Promise<string[]> {
  if (row.origin.kind === evmBlocksPipeline.name) return Object.values(evmBlocksPipeline.tables).map(({ name }) => name)
  const reading = await readingOf({ inventory }, row, null)
  return reading === null ? [] : (Object.values(reading.output.tables) as Table[]).map(({ name }) => name)
}

/** The pipeline of chainlake that reads the containers of a stream. */
export function pipelineOf({ kind = '', chain = '' }: Pick<Stream, 'kind' | 'chain'>): Pipeline | undefined {
  return (kind === 'block' ? pipelinesByChain[chain] : undefined) ?? pipelinesByKind[kind]
}
