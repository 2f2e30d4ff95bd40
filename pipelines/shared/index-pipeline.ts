import { containers } from '../../schemas/containers.ts'
import { decodeRawContainer } from '../../src/decode/raw-container.ts'
import {
  type BlockLink,
  type Decode,
  type NetworkIdentity,
  type Pipeline,
  p,
  pipeline,
  type Range,
  type RangeOutput,
  type RangeSource,
  type ReadRecord,
  type RowsOf,
  type Tables,
  type ThreadedOutput,
  theNode,
} from '../../src/define/index.ts'
import { ConfigError } from '../../src/errors.ts'
import type { ChainContext, Container, HeightBlock } from '../../src/model.ts'
import { chainContext } from './chain-context.ts'
import { askFxs } from './chain-fxs.ts'
import {
  chainParameter,
  heightsAreBounds,
  indexParameters,
  onlyChain,
  sourceParameter,
  usualUnit,
} from './index-parameters.ts'
import { parameterError } from './parameter-error.ts'
import { requestedBounds } from './range-parameters.ts'

export type IndexPipeline<T extends Tables> = {
  readonly name: string
  readonly comment: string
  /** `P/block`, `X/block`, `C/block`, `X/tx`, `X/vtx`: as in `/ext/index/<path>`. */
  readonly path: string
  /** The order of the containers: the order of the chain (default), or the node's own order. */
  readonly order?: Range['order']
  /** Whether a job may name other chains with the same virtual machine by their blockchain id. */
  readonly instances?: boolean
  /** The predecessor of this index: a node that offers only the predecessor is too old. */
  readonly precededBy?: string
  /** A sentence that explains an empty index. */
  readonly whenEmpty?: string
  /** The CB58 id of the parent container; null where there is no single parent. */
  readonly parentOf: (bytes: Uint8Array) => string | null
  /** The height of the block in a container. Undefined where containers have no block: their index counts them, and may be incomplete. */
  readonly heightOf?: (bytes: Uint8Array) => bigint | null
  /** The parent link between the blocks of consecutive containers; null where containers have no block. */
  readonly linkOf: ((rows: RowsOf<T>) => BlockLink) | null
  /** The time of the block in microseconds since 1970 UTC; null if it is not known. Undefined where the chain gives records no times. */
  readonly timeOf?: (rows: RowsOf<T>) => bigint | null
  readonly tables: T
  readonly decode: Decode<T>
  /** How to read the same blocks from a node without an index. */
  readonly byHeight?: ByHeight<T>
  /** Tables by the boolean parameter that fills them; decoding threads do that. */
  readonly more?: { readonly [parameter: string]: More }
}

type ByHeight<T extends Tables> = {
  /** The namespace of `getHeight` and `getBlockByHeight`. */
  readonly namespace: 'platform' | 'xvm'
  /** Values of the key of the table `blocks`, besides network and height. */
  readonly keyOf: (context: ChainContext) => object
  readonly decode: ReadRecord<HeightBlock, T>
  /** A sentence about what is missing in blocks by height, besides the wrapper; null: nothing. */
  readonly notice: string | null
}

type More = Reading & {
  readonly tables: Tables
  /** A parameter that fills more columns of the same tables, at a cost. */
  readonly deeper?: Reading & { readonly parameter: string }
}

type Reading = { readonly comment: string; readonly loadDecode: () => Promise<ReadRecord<any>> }

/**
 * The containers of an index of a node (`index.getContainerRange`), decoded, and with `raw` also their bytes. If the declaration has `byHeight`,
 * also the same blocks by height, without the columns that only a container has.
 */
export function indexPipeline<T extends Tables>(declaration: IndexPipeline<T>): Pipeline {
  const { name, comment, tables, byHeight, more = {} } = declaration
  const each = <V>(of: (part: More) => V): Record<string, V> =>
    Object.fromEntries(Object.entries(more).map(([parameter, part]) => [parameter, of(part)]))
  const deeper = <V>(of: (part: Reading) => V): Record<string, V> =>
    Object.fromEntries(
      Object.values(more).flatMap(({ deeper: part }) => (part === undefined ? [] : [[part.parameter, of(part)]])),
    )
  return pipeline({
    name,
    comment,
    parameters: {
      ...indexParameters(declaration.heightOf === undefined ? declaration.path : null),
      ...(declaration.instances === true ? { chain: chainParameter } : {}),
      ...(byHeight === undefined ? {} : { source: sourceParameter }),
      ...each((part) => p.boolean(part.comment)),
      ...deeper(({ comment }) => p.boolean(comment)),
    },
    refused: {
      ...(declaration.heightOf === undefined ? {} : { heights: heightsAreBounds }),
      ...(declaration.instances === true ? {} : { chain: onlyChain(declaration.path) }),
    },
    reads: 'node',
    walks: ['range'],
    tables,
    optional: { raw: { containers }, ...each((part) => part.tables) },
    threads: { ...each((part) => part.loadDecode), ...deeper((part) => part.loadDecode) },
    async streams(values, facts) {
      const bounds = requestedBounds(values, declaration.heightOf === undefined ? 0 : 1)
      const byRpc = (values as Record<string, unknown>)['source'] === 'rpc'
      if (byRpc && values.raw === true)
        throw parameterError(
          'Blocks by height come without their containers, so that raw has nothing to write.',
          'Leave --raw out, or read the index of a node (--source index).',
        )
      const identity = await facts.node()
      const chain = chainOf(declaration, (values as { readonly chain?: string }).chain, identity)
      const context = chainContext(identity, chain, await askFxs(chain, facts))
      const index = indexOf(declaration)
      const path = `${chain}/${index}`
      const raw: RangeOutput<Container> = { tables: { containers }, read: decodeRawContainer(index) }
      const requested = threadedOutputs(more, values)
      const common = {
        kind: 'range',
        endpoint: theNode,
        ...bounds,
        unit: values.unit ?? usualUnit,
        order: declaration.order ?? 'chain',
        context,
        linkOf: declaration.linkOf,
      } as const
      const notices = noticesOf(chain, context, identity)
      const outputs: Range<Container>['outputs'] = [
        { tables, read: declaration.decode },
        ...(values.raw === true ? [raw] : []),
        ...requested,
      ]
      const walk =
        byRpc && byHeight !== undefined
          ? heightRange(common, chain, context, { ...declaration, ...byHeight }, requested, notices)
          : containerRange(common, { ...declaration, path }, outputs, notices)
      const every = Object.assign({}, ...walk.outputs.map((output) => output.tables)) as Tables
      return [{ stream: { network: identity.network, path, kind: index, chain, parameters: {} }, tables: every, walk }]
    },
  })
}

/** How threads read records of a job, by its parameters. */
function threadedOutputs(more: Readonly<Record<string, More>>, values: object): ThreadedOutput[] {
  const isSet = (parameter: string) => (values as Record<string, unknown>)[parameter] === true
  return Object.entries(more).flatMap(([parameter, { tables, deeper }]) => {
    const isDeeper = deeper !== undefined && isSet(deeper.parameter)
    if (isSet(parameter)) return [{ tables, thread: isDeeper ? deeper.parameter : parameter }]
    if (!isDeeper) return []
    throw parameterError(
      `${deeper.parameter} needs ${parameter}, which is not set.`,
      `Set ${parameter} too, or leave ${deeper.parameter} out.`,
    )
  })
}

function noticesOf(chain: string, { nativeAssetId }: ChainContext, identity: NetworkIdentity): string[] {
  if (nativeAssetId !== null || identity.nativeAssetId === null) return []
  return [`The fee asset of chain ${chain} is unknown: the column burned will be null.`]
}

function noticeOf(notices: readonly (string | null)[]): string | null {
  const said = notices.filter((notice) => notice !== null)
  return said.length === 0 ? null : said.join(' ')
}

type Common = Pick<Range, 'kind' | 'endpoint' | 'from' | 'to' | 'unit' | 'order' | 'linkOf'> & {
  readonly context: ChainContext
}

/** What blocks by height are called, whether they come from an index or not. */
const blocks = { record: 'block', counts: 'heights' } as const

function containerRange(
  common: Common,
  index: Pick<
    IndexPipeline<any>,
    'path' | 'precededBy' | 'whenEmpty' | 'parentOf' | 'heightOf' | 'byHeight' | 'timeOf' | 'decode'
  >,
  outputs: Range<Container>['outputs'],
  notices: readonly string[],
): Range<Container> {
  return {
    ...common,
    ...(index.heightOf === undefined ? { record: 'container' } : blocks),
    what: `the node's index ${index.path}`,
    source: async (connection, options) => {
      const { createIndexRange } = await import('../../src/sources/index-range.ts')
      const whenIncomplete =
        index.byHeight === undefined
          ? 'Read them from a node with a complete index.'
          : 'Fill the gap with --source rpc, or from a node with a complete index.'
      const source = createIndexRange(connection, { ...options, ...index, whenIncomplete })
      return { ...source, ...timesOf(source, common.context, index) }
    },
    outputs,
    notice: noticeOf(notices),
  }
}

/** The times of the records of a source, from the rows that they become. */
function timesOf<R>(
  { window }: RangeSource<R>,
  context: ChainContext,
  { timeOf, decode }: { readonly timeOf?: IndexPipeline<any>['timeOf']; readonly decode: ReadRecord<R, any> },
): Pick<RangeSource<R>, 'times'> {
  if (timeOf === undefined) return {}
  return {
    times: async (from, to, signal) =>
      (await window(from, to, signal)).map((record) => timeOf(decode(record, context)) ?? 'unknown'),
  }
}

/** The same blocks by height. */
function heightRange<T extends Tables>(
  common: Common,
  chain: string,
  context: ChainContext,
  { tables, namespace, keyOf, decode, notice, timeOf }: ByHeight<T> & Pick<IndexPipeline<T>, 'tables' | 'timeOf'>,
  requested: readonly ThreadedOutput[],
  notices: readonly string[],
): Range<HeightBlock> {
  return {
    ...common,
    ...blocks,
    what: `the ${chain} chain of the node`,
    source: async (connection, options) => {
      const { createHeightRange, orMissing } = await import('../../src/sources/height-range.ts')
      const requested = { ...options, chain, namespace }
      const { times } = timesOf(createHeightRange(connection, { ...requested, tries: 1 }), context, { timeOf, decode })
      return {
        ...createHeightRange(connection, requested),
        ...(times === undefined ? {} : { times: orMissing(times) }),
      }
    },
    linkRow: { name: 'blocks', key: (at) => ({ network: context.network, ...keyOf(context), height: at }) },
    outputs: [{ tables, read: decode }, ...requested],
    notice: noticeOf([...notices, notice]),
  }
}

function ownChain({ path }: Pick<IndexPipeline<Tables>, 'path'>): string {
  return path.slice(0, path.indexOf('/'))
}

function indexOf({ path }: Pick<IndexPipeline<Tables>, 'path'>): string {
  return path.slice(path.indexOf('/') + 1)
}

/** The chain of a job as in paths and streams: its alias if it has one, also if the job names it by id. */
function chainOf(
  { name, path }: Pick<IndexPipeline<Tables>, 'name' | 'path'>,
  chain: string | undefined,
  identity: NetworkIdentity,
): string {
  const own = ownChain({ path })
  if (chain === undefined) return own
  const named = identity.chains.find(({ alias, blockchainId }) => alias === chain || blockchainId === chain)?.alias
  if (named === undefined || named === own) return named ?? chain
  throw new ConfigError(`Pipeline ${name} cannot read the ${named} chain.`, {
    code: 'config.chain',
    details: { chain },
    hint: `Leave --chain out for the ${own} chain, or give the id of a chain that runs the same virtual machine.`,
  })
}
