import type { FxOrder } from '../../codec/fxs.ts'
import type { RecoverKey } from '../../codec/secp256k1.ts'
import { containers } from '../../schemas/lake.ts'
import { decodeRawContainer } from '../../src/decode/containers.ts'
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
  type RefusedParameter,
  type RowsOf,
  type Tables,
  theNode,
} from '../../src/define/index.ts'
import { ConfigError } from '../../src/errors.ts'
import type { ChainContext, Container, HeightBlock } from '../../src/model.ts'
import { evmChainId } from '../../src/sources/known-networks.ts'
import { askFxs } from './node.ts'
import { parameterError, rangeParameters, requestedBounds, usualUnit } from './parameters.ts'

/**
 * The parameters of a pipeline that reads an index. `path` is null for an index of blocks. Otherwise it names an index of transactions or
 * vertices, which have no height and no time of the chain.
 */
function indexParameters(path: string | null) {
  const timeless = `what ${path} holds has no time of the chain, only the time at which the node of the index accepted it; x-blocks takes times`
  return {
    ...(path === null
      ? rangeParameters('height', 'the last accepted block', { first: 1 })
      : rangeParameters('container index', 'the last accepted container', { timeless })),
    unit: p.whole(`Most records per commit (default: ${usualUnit}). Threads that share a range take fewer.`, {
      least: 1,
    }),
    raw: p.boolean('Also write the raw containers to the table containers.'),
  }
}

/** Only for pipelines that can read several chains. */
const chainParameter = p.text("Blockchain id of another chain of the same kind (default: the pipeline's own chain).")

/** Why a pipeline reads one chain only. */
function onlyChain(chain: string): RefusedParameter {
  return {
    why: `A network has only one ${chain}-Chain.`,
    instead: chain === 'C' ? 'Give evm-blocks the URL of another EVM chain.' : 'Give no --chain.',
  }
}

/** How to read blocks that an index and the RPC have. */
const sourceParameter = p.text(
  'Source: the index of the node (default: index), or each block by its height (rpc) if the node has no index. Both fill the same range.',
  { choices: ['index', 'rpc'] },
)

const heightsAreBounds: RefusedParameter = {
  why: 'The bounds of a range are heights.',
  instead: 'Give them with from and to, or with range.',
}

/** What decoders need about a chain. `chain` is an alias (`P`, `X`, `C`) or a blockchain id; `fxs` are the feature extensions of a chain named by its id. */
function chainContext(identity: NetworkIdentity, chain: string, fxs: FxOrder | null): ChainContext {
  const known = identity.chains.find(({ alias }) => alias === chain)
  return {
    network: identity.network,
    networkId: identity.networkId,
    hrp: identity.hrp,
    chain,
    blockchainId: known?.blockchainId ?? chain,
    evmChainId: chain === 'C' ? evmChainId(identity.networkId) : null,
    // Another chain of the asset VM charges fees in an asset of its own genesis, which is in no index.
    nativeAssetId: known === undefined ? null : identity.nativeAssetId,
    durangoTime: identity.durangoTime,
    fxs,
  }
}

/**
 * The parameters for writing signatures of transactions and recovering their signers. `load` gives a function that creates the decoder, with
 * or without the library of the curve.
 */
export function credentialTables(
  tables: Tables,
  load: () => Promise<(recover: RecoverKey | null) => ReadRecord<any>>,
): NonNullable<IndexPipeline<Tables>['more']> {
  const [table] = Object.values(tables)
  return {
    credentials: {
      comment: `Also write the signatures of transactions to the table ${table?.name}.`,
      tables,
      loadDecode: async () => (await load())(null),
      deeper: {
        parameter: 'signers',
        comment:
          'With credentials: recover the public key and address that made each signature; set it from the first run on, rows that are there stay.',
        loadDecode: async () => (await load())(await loadCurve()),
      },
    },
  }
}

/** Loads the library of the curve, which only recovers signers. */
export async function loadCurve(): Promise<RecoverKey> {
  return (await import('../../codec/secp256k1.ts')).recoverPublicKey
}

type IndexPipeline<T extends Tables> = {
  readonly name: string
  readonly comment: string
  /** The alias of the chain, and its index: as in `/ext/index/<chain>/<index>`. */
  readonly chain: 'P' | 'X' | 'C'
  readonly index: 'block' | 'tx' | 'vtx'
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
  /** Tables by the boolean parameter that fills them. Their decoders are loaded only then. */
  readonly more?: { readonly [parameter: string]: More }
} & (
  | { readonly decode: Decode<T>; readonly byHeight?: undefined }
  /** `byHeight`: how to read the same blocks from a node without an index. */
  | { readonly decode: ReadRecord<Container | HeightBlock, T>; readonly byHeight: ByHeight }
)

type ByHeight = {
  /** The namespace of `getHeight` and `getBlockByHeight`. */
  readonly namespace: 'platform' | 'xvm'
  /** A sentence about what is missing in blocks by height, besides the wrapper; null: nothing. */
  readonly notice: string | null
}

type More = DecodeOption & {
  readonly tables: Tables
  /** A parameter that fills more columns of the same tables, at a cost. */
  readonly deeper?: DecodeOption & { readonly parameter: string }
}

type DecodeOption = { readonly comment: string; readonly loadDecode: () => Promise<ReadRecord<any>> }

/**
 * The containers of an index of a node (`index.getContainerRange`), decoded, and with `raw` also their bytes. If the declaration has `byHeight`,
 * also the same blocks by height, without the columns that only a container has.
 */
export function indexPipeline<T extends Tables>(declaration: IndexPipeline<T>): Pipeline {
  const { name, comment, index, tables, byHeight, more = {} } = declaration
  const each = <V>(of: (part: More) => V): Record<string, V> =>
    Object.fromEntries(Object.entries(more).map(([parameter, part]) => [parameter, of(part)]))
  const deeper = <V>(of: (part: DecodeOption) => V): Record<string, V> =>
    Object.fromEntries(
      Object.values(more).flatMap(({ deeper: part }) => (part === undefined ? [] : [[part.parameter, of(part)]])),
    )
  return pipeline({
    name,
    comment,
    parameters: {
      ...indexParameters(declaration.heightOf === undefined ? `${declaration.chain}/${index}` : null),
      ...(declaration.instances === true ? { chain: chainParameter } : {}),
      ...(byHeight === undefined ? {} : { source: sourceParameter }),
      ...each((part) => p.boolean(part.comment)),
      ...deeper(({ comment }) => p.boolean(comment)),
    },
    refused: {
      ...(declaration.heightOf === undefined ? {} : { heights: heightsAreBounds }),
      ...(declaration.instances === true ? {} : { chain: onlyChain(declaration.chain) }),
    },
    reads: 'node',
    walks: ['range'],
    tables,
    optional: { raw: { containers }, ...each((part) => part.tables) },
    decoders: { ...each((part) => part.loadDecode), ...deeper((part) => part.loadDecode) },
    async streams(values, facts) {
      const bounds = requestedBounds(values, declaration.heightOf === undefined ? 0 : 1)
      const given = values as { readonly chain?: string; readonly source?: string }
      const heights = given.source === 'rpc' ? byHeight : undefined
      if (heights !== undefined && values.raw === true)
        throw parameterError(
          'Blocks by height come without their containers, so that raw has nothing to write.',
          'Leave --raw out, or read the index of a node (--source index).',
        )
      const identity = await facts.node()
      const chain = chainOf(declaration, given.chain, identity)
      const context = chainContext(identity, chain, await askFxs(chain, facts))
      const path = `${chain}/${index}`
      const raw: RangeOutput<Container> = { tables: { containers }, read: decodeRawContainer(index) }
      const outputs: Range['outputs'] = [
        { tables, read: declaration.decode },
        ...(values.raw === true ? [raw] : []),
        ...(await requestedOutputs(more, values)),
      ]
      const walk: Range = {
        kind: 'range',
        endpoint: theNode,
        ...bounds,
        unit: values.unit ?? usualUnit,
        order: declaration.order ?? 'chain',
        // What blocks are called, whether they come from an index or not.
        ...(declaration.heightOf === undefined ? { record: 'container' } : { record: 'block', counts: 'heights' }),
        context,
        linkOf: declaration.linkOf,
        outputs,
        notice: noticeOf(context, identity, heights),
        ...(heights === undefined
          ? containerWalk(declaration, path, context)
          : heightWalk(declaration, heights, context)),
      }
      const every = Object.assign({}, ...outputs.map((output) => output.tables)) as Tables
      return [{ stream: { network: identity.network, path, kind: index, chain, parameters: {} }, tables: every, walk }]
    },
  })
}

/** The outputs that the parameters of a job ask for, with their decoders. */
async function requestedOutputs(more: Readonly<Record<string, More>>, values: object): Promise<RangeOutput[]> {
  const isSet = (parameter: string) => (values as Record<string, unknown>)[parameter] === true
  const outputs: RangeOutput[] = []
  for (const [parameter, { tables, loadDecode, deeper }] of Object.entries(more)) {
    const isDeeper = deeper !== undefined && isSet(deeper.parameter)
    if (isSet(parameter)) outputs.push({ tables, read: await (isDeeper ? deeper.loadDecode : loadDecode)() })
    else if (isDeeper)
      throw parameterError(
        `${deeper.parameter} needs ${parameter}, which is not set.`,
        `Set ${parameter} too, or leave ${deeper.parameter} out.`,
      )
  }
  return outputs
}

function noticeOf(context: ChainContext, { nativeAssetId }: NetworkIdentity, heights?: ByHeight): string | null {
  const isBurnedKnown = context.nativeAssetId !== null || nativeAssetId === null
  const notices = [
    isBurnedKnown ? null : `The fee asset of chain ${context.chain} is unknown: the column burned will be null.`,
    heights?.notice ?? null,
  ].filter((notice) => notice !== null)
  return notices.length === 0 ? null : notices.join(' ')
}

function containerWalk(
  declaration: IndexPipeline<any>,
  path: string,
  context: ChainContext,
): Pick<Range<Container>, 'what' | 'source'> {
  const whenIncomplete =
    declaration.byHeight === undefined
      ? 'Read them from a node with a complete index.'
      : 'Fill the gap with --source rpc, or from a node with a complete index.'
  return {
    what: `the node's index ${path}`,
    source: async (connection, options) => {
      const { createIndexRange } = await import('../../src/sources/node-index.ts')
      const source = createIndexRange(connection, { ...options, ...declaration, path, whenIncomplete })
      return { ...source, ...timesOf(source, context, declaration) }
    },
  }
}

/** The same blocks by height. */
function heightWalk(
  declaration: IndexPipeline<any>,
  { namespace }: ByHeight,
  context: ChainContext,
): Pick<Range<HeightBlock>, 'what' | 'source'> {
  const { chain } = context
  return {
    what: `the ${chain} chain of the node`,
    source: async (connection, options) => {
      const { createHeightRange, orMissing } = await import('../../src/sources/node-index.ts')
      const requested = { ...options, chain, namespace }
      const { times } = timesOf(createHeightRange(connection, { ...requested, tries: 1 }), context, declaration)
      return {
        ...createHeightRange(connection, requested),
        ...(times === undefined ? {} : { times: orMissing(times) }),
      }
    },
  }
}

/** The times of the records of a source, from the rows that they become. */
function timesOf<R>(
  { window }: RangeSource<R>,
  context: ChainContext,
  { timeOf, decode }: Pick<IndexPipeline<any>, 'timeOf'> & { readonly decode: ReadRecord<any> },
): Pick<RangeSource<R>, 'times'> {
  if (timeOf === undefined) return {}
  return {
    times: async (from, to, signal) =>
      (await window(from, to, signal)).map((record) => timeOf(decode(record, context)) ?? 'unknown'),
  }
}

/** The chain of a job as in paths and streams: its alias if it has one, also if the job names it by id. */
function chainOf(
  { name, chain: own }: Pick<IndexPipeline<Tables>, 'name' | 'chain'>,
  chain: string | undefined,
  identity: NetworkIdentity,
): string {
  if (chain === undefined) return own
  const named = identity.chains.find(({ alias, blockchainId }) => alias === chain || blockchainId === chain)?.alias
  if (named === undefined || named === own) return named ?? chain
  throw new ConfigError(`Pipeline ${name} cannot read the ${named} chain.`, {
    code: 'config.chain',
    details: { chain },
    hint: `Leave --chain out for the ${own} chain, or give the id of a chain that runs the same virtual machine.`,
  })
}
