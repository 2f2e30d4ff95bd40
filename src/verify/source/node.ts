import { bytesOfCheckedHex } from '../../../codec/hash.ts'
import { evmEndpoint } from '../../../pipelines/shared/evm-chain.ts'
import { wrapperColumns } from '../../../schemas/shared/block-columns.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { isPipelineOfChainlake } from '../../config/reserved-names.ts'
import { type Range, theNode } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import { callRpc } from '../../fetch/json-rpc.ts'
import { fieldOf } from '../../lib/json.ts'
import { sqlName } from '../../lib/text.ts'
import type { ChainContext, Container, HeightBlock } from '../../model.ts'
import { type Connections, createConnections } from '../../run/connections/connections.ts'
import type { EmitEvent } from '../../run/events.ts'
import type { NodeOptions } from '../../run/job.ts'
import { identifyEvmChain } from '../../sources/evm-answers.ts'
import { askNode } from '../../sources/node.ts'
import { createIndexApi, createIndexByHeight } from '../../sources/node-index.ts'
import { bothChecked, type Checked, type ComparedWith, type LakeRows, nothingFound, rowsOfChain } from '../lake.ts'
import type { Finding, Remark, Unverifiable } from '../report.ts'
import { type Sequence, sequenceOf } from '../sequences.ts'
import { decoderOf, fxsUnknown, knownFacts, pipelineOf, type StreamDecoder } from '../streams.ts'
import { evmChainOf, verifyEvm, verifyRpc } from './evm.ts'
import { type ComparedLists, rereadLists } from './lists.ts'
import {
  type Answered,
  type AskedNode,
  askEach,
  compareAll,
  compareSample,
  fxsOfNode,
  kinds,
  nodeQuestions,
  type Outcome,
  type SampleOptions,
  sampleOf,
} from './sample.ts'
import { verifyUtxos } from './utxos.ts'

/** How to connect to a node, and how many records of each stream to compare. */
export type ComparedNode = NodeOptions &
  Pick<ComparedLists, 'sample'> & {
    /** The lists of the node to compare. Default: none. */
    readonly lists?: Omit<ComparedLists, 'sample'>
    /** Receives the events of requests. Default: they are not reported. */
    readonly emit?: EmitEvent
  }

type Asking = Pick<SampleOptions, 'stop' | 'onProgress'>

/** Compares the lake with a node; see `verifySource` and `rereadLists`. */
export async function compareNode(
  rows: LakeRows,
  { sample, lists, ...node }: ComparedNode,
  asking: Asking & { readonly isWhole: boolean },
): Promise<Checked> {
  return reached(node, asking, async (connections) => {
    const identity = await connections.facts.node()
    const connection = connections.connection(theNode)
    const asked = { ...asking, rows, connection, identity, sample, questions: nodeQuestions() }
    const ofRanges = await verifySource(asked)
    if (lists === undefined) return ofRanges
    const limits = { sample, most: Number.POSITIVE_INFINITY, ofList: sample }
    return bothChecked(
      ofRanges,
      await rereadLists(rows, { source: 'node', connections, ...limits, ...lists, ...asking }),
    )
  })
}

/** Compares the lake with the JSON-RPC of an EVM chain (`nodeUrl`); see `verifyRpc`. */
export async function askRpc(rows: LakeRows, { sample, ...rpc }: ComparedNode, asking: Asking): Promise<Checked> {
  const { endpoint, route } = evmEndpoint(rpc.nodeUrl)
  return reached(rpc, asking, (connections) =>
    verifyRpc({
      ...asking,
      rows,
      connection: connections.connection(endpoint),
      sample,
      questions: nodeQuestions(),
      path: route,
    }),
  )
}

/** Requests the identity of the sources that the lake is compared with, so that a wrong URL fails before the work begins. */
export async function reachSources(
  { node, rpc }: { readonly node?: ComparedNode; readonly rpc?: ComparedNode },
  stop: AbortSignal,
): Promise<void> {
  if (node !== undefined) await reached(node, { stop }, (connections) => connections.facts.node())
  if (rpc === undefined) return
  const { endpoint, route } = evmEndpoint(rpc.nodeUrl)
  await reached(rpc, { stop }, (connections) => identifyEvmChain(connections.connection(endpoint), route, stop))
}

async function reached<T>(
  node: Omit<ComparedNode, 'sample' | 'lists'>,
  { stop }: Pick<Asking, 'stop'>,
  use: (connections: Connections) => Promise<T>,
): Promise<T> {
  const connections = createConnections({ emit: () => undefined, ...node, stop })
  try {
    return await use(connections)
  } finally {
    await connections.close()
  }
}

/** Times of acceptance differ between nodes. */
const ofIndex: ComparedWith = { name: 'the index of the node', kinds, ignored: ['accepted_at', 'accepted_at_ns'] }
/** A block by height has no wrapper. */
const byHeight: ComparedWith = {
  name: 'the block by height of the node',
  kinds,
  ignored: [...Object.keys(wrapperColumns), 'container_index', 'block_time'],
}
/** Times and order of acceptance in a legacy index differ between nodes, and such rows have no other time. */
const byId: ComparedWith = {
  name: 'the container by id of the node',
  kinds,
  ignored: ['accepted_at', 'accepted_at_ns', 'container_index', 'block_time'],
}

/** Compares a sample of the rows of a network with a node, by every method that the node offers. */
async function verifySource(asked: AskedNode): Promise<Checked> {
  const { rows, identity, questions } = asked
  const { network } = identity
  const { networks, coverage } = rows.inventory
  const known = networks.find((each) => each.network === network)
  if (known === undefined || !isSameNetwork(known.chains, identity.chains))
    throw new OtherSourceError(
      known === undefined
        ? `The node belongs to the network ${network}, but the lake has nothing that was read from a node of this network.`
        : `The node and the lake belong to different networks that are both named ${network}.`,
      {
        details: { 'networks of the lake': networks.map((known) => known.network).join(', ') },
        hint: 'Nothing was compared. Give --node the URL of a node of a network that the lake holds.',
      },
    )
  const own = coverage.filter((row) => row.network === network)
  const checked: Checked[] = []
  for (const row of own.filter(isHead)) checked.push(await verifyContainers(row, asked))
  checked.push(await verifyC(asked), await verifyUtxos(asked))
  const compared = new Set(own.flatMap((row) => (isHead(row) || evmChainOf(row) !== null ? [row.stream] : [])))
  const unverifiable = withoutCode(rows, network, compared)
  return bothChecked(...checked, { findings: [], remarks: questions.remarks(), unverifiable })
}

type Chains = AskedNode['identity']['chains']

function isSameNetwork(known: Chains, given: Chains): boolean {
  return known.every(({ alias, blockchainId }) => {
    const other = given.find((chain) => chain.alias === alias)
    return other === undefined || other.blockchainId === blockchainId
  })
}

/** Whether the table represents its stream of containers, so that each stream is compared once. */
function isHead(row: CoverageRow): boolean {
  if (row.table === 'x_transactions') return row.origin.kind === 'tx'
  return ['p_blocks', 'x_blocks', 'x_vertices', 'c_blocks'].includes(row.table)
}

/** Compares the C-Chain, which every node has. Other EVM chains are compared with `--rpc`. */
async function verifyC(asked: AskedNode): Promise<Checked> {
  const { connection, stop, questions, identity } = asked
  const path = '/ext/bc/C/rpc'
  const ofNode = async () => {
    const said = await questions.answer('eth_chainId of C', () => identifyEvmChain(connection, path, stop))
    return said === null ? null : String(said.chainId)
  }
  const { checked, others } = await verifyEvm(ofNode, identity.network, { ...asked, path })
  const remarks = others.map((other): Remark => {
    const of = other.stream ?? `the chain ${other.chainId} in the tables of EVM state`
    const message = `Not compared with the node: ${of} is not its C-Chain. Use --rpc with the URL of the JSON-RPC of this chain.`
    return { message, ...(other.stream === null ? {} : { stream: other.stream }) }
  })
  return bothChecked(checked ?? nothingFound, { findings: [], remarks })
}

/** A node that is asked about a stream of containers, and all that the comparison needs. */
type AskedStream = AskedNode & { readonly row: CoverageRow; readonly decoder: StreamDecoder }

/** Compares containers of a stream, by every index and method that the node offers. */
async function verifyContainers(row: CoverageRow, asked: AskedNode): Promise<Checked> {
  const fxs = await fxsOfNode(row.origin.chain ?? '', asked)
  if (fxs === 'unknown') return { findings: [], remarks: [], unverifiable: [fxsUnknown(row)] }
  const decoder = await decoderOf(asked.rows, row, fxs)
  if (decoder === null) return nothingFound
  const stream = { ...asked, row, decoder }
  return row.origin.kind === 'block' ? verifyChain(stream) : verifyLegacy(stream)
}

async function verifyChain(asked: AskedStream): Promise<Checked> {
  const { rows, row, decoder, questions, connection, stop, sample } = asked
  const { path } = row.origin
  const { heightOf } = decoder
  const index = createIndexByHeight(createIndexApi(connection, path, { tries: 1 }), { path, heightOf })
  const head = await questions.ask(`index.getLastAccepted of ${path}`, () => index.lastAccepted(stop))
  const last = head !== null && 'answer' in head ? (head.answer?.index ?? -1) + 1 : Number.POSITIVE_INFINITY
  const first = index.first()
  const messages = [
    ...(last < row.slice.to - 1
      ? [
          `The node is behind the lake in ${row.stream}: its last block is ${last}, the last one of the lake is ${row.slice.to - 1}.`,
        ]
      : []),
    ...(first > row.slice.from
      ? [
          `Not compared with the index of the node: ${row.stream} below ${Math.min(first, row.slice.to)}, where the index is incomplete.`,
        ]
      : []),
  ]
  const wanted = sampleOf(row, sample).filter((at) => at <= last)
  const findings = await compareSample(row.stream, asked, wanted, async (some) => {
    const indexed = some.filter((at) => at >= first)
    const { answers, refusals } = await askEach(row, 'a container', indexed, (at) =>
      questions.ask(`index.getContainerByIndex of ${path}`, () => index.container(at, stop)),
    )
    return [
      ...refusals,
      ...(await compareAll(rows, row, decoder.output, answers, decoder.context, ofIndex)),
      ...(await askById(asked, answers, first)),
      ...(row.origin.chain === 'C' ? [] : await askByHeight(asked, some)),
    ]
  })
  return { findings, remarks: messages.map((message) => ({ stream: row.stream, message })) }
}

/**
 * Compares the frozen indexes from before the X-Chain was linear. Their order differs between nodes, so containers are requested by id
 * (index.getContainerByID).
 */
async function verifyLegacy(asked: AskedStream): Promise<Checked> {
  const { rows, row, decoder, sample } = asked
  const sequence = sequenceOf(row)
  if (sequence === undefined || rows.torn(sequence.table)) return nothingFound
  const findings = await compareSample(row.stream, asked, sampleOf(row, sample), async (some) => {
    const known = await idsAt(rows, row, sequence, some)
    const { answers, refusals } = await askEach(row, 'a container', known, ({ id }) =>
      askIndex(asked, 'getContainerByID', { id, encoding: 'hex' }),
    )
    const containers = answers.map(({ of: { index }, answer }): Answered<number, Container> => {
      const bytes = bytesOfCheckedHex(fieldOf(answer, 'bytes'))
      return { of: index, answer: { index, id: decoder.derive(bytes), acceptedAtNs: 0n, bytes } }
    })
    return [...refusals, ...(await compareAll(rows, row, decoder.output, containers, decoder.context, byId))]
  })
  return { findings, remarks: [] }
}

async function idsAt(
  { engine, inventory, filesBetween, relation }: LakeRows,
  { network, origin }: CoverageRow,
  { table, place, only = 'true' }: Sequence,
  indices: readonly number[],
): Promise<{ index: number; id: string }[]> {
  const id = table.key.at(-1) ?? ''
  const files = await filesBetween(table, place, { from: Math.min(...indices), to: Math.max(...indices) })
  const found = await engine.rows(
    `SELECT ${sqlName(place)}::INTEGER AS at, ${sqlName(id)} AS id FROM ${relation(table, files)}
     WHERE ${rowsOfChain(inventory, table, network, origin.chain ?? '')} AND ${only} AND ${sqlName(place)} IN (${indices.join(', ')}) ORDER BY 1`,
  )
  return found.map((row) => ({ index: row['at'], id: row['id'] }))
}

/** Compares the same blocks with platform.getBlockByHeight or xvm.getBlockByHeight. */
async function askByHeight(asked: AskedStream, heights: readonly number[]): Promise<Finding[]> {
  const { rows, row, decoder, connection, stop, identity, questions } = asked
  const { chain = '' } = row.origin
  const method = `${chain === 'P' ? 'platform' : 'xvm'}.getBlockByHeight`
  const facts = knownFacts(identity, (decoder.context as ChainContext).fxs)
  const values = { source: 'rpc', ...(chain === 'P' || chain === 'X' ? {} : { chain }) }
  const [declared] = (await pipelineOf(row.origin)?.streams(values, facts)) ?? []
  if (declared === undefined) return []
  const { outputs, context } = declared.walk as Range<HeightBlock>
  const request = { host: 'node', endpoint: theNode, path: `/ext/bc/${chain}`, method } as const
  const { answers, refusals } = await askEach(row, 'a block by height', heights, (height) =>
    questions.ask(`${method} of ${chain}`, () =>
      askNode(
        connection,
        { ...request, params: { height: String(height), encoding: 'hex' } },
        {
          parse: (answer): HeightBlock => ({ height, bytes: bytesOfCheckedHex(fieldOf(answer, 'block')) }),
          signal: stop,
        },
      ),
    ),
  )
  return [...refusals, ...(await compareAll(rows, row, outputs[0], answers, context, byHeight))]
}

/** Requests a container by its id, under both parameter names that versions of nodes use. */
function askIndex(
  { row, connection, stop, questions }: AskedStream,
  method: string,
  { id, ...params }: { readonly id: string; readonly encoding?: string },
): Promise<Outcome<unknown>> {
  const { path } = row.origin
  return questions.ask(`index.${method} of ${path}`, () =>
    callRpc(connection, `/ext/index/${path}`, `index.${method}`, { id, containerID: id, ...params }, { signal: stop }),
  )
}

/**
 * Checks that requests by id return the same container: index.getContainerByID, index.getIndex, index.isAccepted. `first`: the first height
 * of the index.
 */
async function askById(
  asked: AskedStream,
  containers: readonly Answered<number, Container>[],
  first: number,
): Promise<Finding[]> {
  const { network, table, stream } = asked.row
  const each = containers.map(async ({ of: height, answer: { id, bytes } }) => {
    const findings: Finding[] = []
    const own = `the bytes of block ${height}`
    const questions = [
      [
        'getContainerByID',
        { encoding: 'hex' },
        own,
        (answer: unknown) =>
          Buffer.compare(bytesOfCheckedHex(fieldOf(answer, 'bytes')), bytes) === 0 ? own : 'other bytes',
      ],
      ['getIndex', {}, String(height - first), (answer: unknown) => String(fieldOf(answer, 'index'))],
      ['isAccepted', {}, 'true', (answer: unknown) => String(fieldOf(answer, 'isAccepted'))],
    ] as const
    for (const [method, encoding, expected, said] of questions) {
      const outcome = await askIndex(asked, method, { id, ...encoding })
      const found = outcome === null ? expected : 'refusal' in outcome ? outcome.refusal : said(outcome.answer)
      const message = `index.${method} contradicts block ${height} of the index.`
      const place = { network, table, stream, slice: { from: height, to: height + 1 }, key: { container_id: id } }
      if (found !== expected) findings.push({ kind: 'source.different', message, ...place, expected, found })
    }
    return findings
  })
  return (await Promise.all(each)).flat()
}

/** The tables of a network that are not compared with its node because pipelines of users filled them. */
export function withoutCode(
  { inventory }: Pick<LakeRows, 'inventory'>,
  network: string,
  compared: ReadonlySet<string>,
): Unverifiable[] {
  const selected = new Set(inventory.tables.map(({ name }) => name))
  const committed = new Set(
    [...inventory.coverage, ...inventory.written].map(({ stream, table }) => `${table} ${stream}`),
  )
  return [...inventory.streams.values()].flatMap(({ stream, pipeline, tables, ...own }) => {
    if (own.network !== network || pipeline === null || isPipelineOfChainlake(pipeline) || compared.has(stream))
      return []
    const reason = `--node does not compare rows of ${pipeline}, because verify does not load the code of this pipeline. To check them, run it again into another lake (with --pipelines FILE for a module), write a certificate of that lake (verify --certificate), and compare this one with it (verify --against).`
    return tables
      .filter((table) => selected.has(table) && committed.has(`${table} ${stream}`))
      .map((table) => ({ table, stream, reason }))
  })
}
