import { wrapperColumns } from '../../../schemas/shared/block-columns.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { bytesOfCheckedHex } from '../../codec/checked-hex.ts'
import { type Facts, type Range, theNode } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import { callRpc } from '../../fetch/json-rpc.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import type { ChainContext, Container, HeightBlock } from '../../model.ts'
import { identifyEvmChain } from '../../sources/evm-chain.ts'
import { fieldOf } from '../../sources/field-of.ts'
import { createIndexApi } from '../../sources/index-api.ts'
import { createIndexByHeight } from '../../sources/index-by-height.ts'
import { askNode } from '../../sources/node-client.ts'
import type { ComparedWith } from '../lake/compare-rows.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import { fxsUnknown, nameOf } from '../lake/lake-fxs.ts'
import { type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { chainId } from '../lake/row-place.ts'
import { type Sequence, sequences } from '../lake/sequences.ts'
import { pipelineOf, type Reading, readingOf } from '../lake/stream-reading.ts'
import { fxsOfNode } from './node-fxs.ts'
import { type NodeQuestions, nodeQuestions, type Outcome } from './node-questions.ts'
import {
  askEach,
  compareAll,
  compareSample,
  kinds,
  type SampleOptions,
  type SourceOptions,
  sampleOf,
} from './node-sample.ts'
import { evmChainOf, verifyEvm } from './verify-evm-source.ts'
import { verifyUtxos } from './verify-utxos.ts'

/** When the indexing node accepted something is each node's own; a block by height has no wrapper. */
const ofIndex: ComparedWith = { name: 'the index of the node', kinds, ignored: ['accepted_at', 'accepted_at_ns'] }
const byHeight: ComparedWith = {
  name: 'the block by height of the node',
  kinds,
  ignored: [...Object.keys(wrapperColumns), 'container_index', 'block_time'],
}
/** What a legacy index says of an acceptance is its node's own, and all the time that such rows have. */
const byId: ComparedWith = {
  name: 'the container by id of the node',
  kinds,
  ignored: ['accepted_at', 'accepted_at_ns', 'container_index', 'block_time'],
}

/** Asks a node for a sample of what the lake holds of its network, in every way that it offers, and compares. */
export async function verifySource(rows: LakeRows, options: SourceOptions): Promise<Checked> {
  const { network } = options.identity
  const { networks, coverage } = rows.inventory
  const own = networks.find((known) => known.network === network)
  if (own === undefined || !isSameNetwork(own.chains, options.identity.chains))
    throw new OtherSourceError(
      own === undefined
        ? `The node belongs to the network ${network}, of which the lake has nothing that was read from a node.`
        : `The node belongs to another network ${network} than the lake.`,
      {
        details: { 'networks of the lake': networks.map((known) => known.network).join(', ') },
        hint: 'Give --node the URL of a node of a network that the lake holds. Nothing was compared with this one.',
      },
    )
  const questions = nodeQuestions()
  const findings: Finding[] = []
  const remarks: Remark[] = []
  const heads = coverage.filter((row) => row.network === network && isHead(row))
  for (const row of heads) {
    const verify = evmChainOf(row) === null ? verifyContainers : verifyC
    const found = await verify(rows, row, options, questions)
    findings.push(...found.findings)
    remarks.push(...found.remarks)
  }
  const ofUtxos = await verifyUtxos(rows, options, questions)
  return {
    findings: [...findings, ...ofUtxos.findings],
    remarks: [...remarks, ...ofUtxos.remarks, ...questions.remarks()],
  }
}

type Chains = readonly { readonly alias: string; readonly blockchainId: string }[]

function isSameNetwork(known: Chains, given: Chains): boolean {
  return known.every(({ alias, blockchainId }) => {
    const other = given.find((chain) => chain.alias === alias)
    return other === undefined || other.blockchainId === blockchainId
  })
}

/** One table stands for the slices of a stream. Transactions come in blocks, too. */
function isHead({ table, stream }: CoverageRow): boolean {
  if (table === 'x_transactions') return stream.endsWith('/tx')
  return ['p_blocks', 'x_blocks', 'c_blocks', 'evm_blocks', 'x_vertices'].includes(table)
}

/** The one EVM chain that every node has; others are asked for by their RPC. */
async function verifyC(
  rows: LakeRows,
  row: CoverageRow,
  options: SourceOptions,
  questions: NodeQuestions,
): Promise<Checked> {
  const path = '/ext/bc/C/rpc'
  const said = await questions.ask('eth_chainId of C', () => identifyEvmChain(options.transport, path, options.stop))
  if (said !== null && 'answer' in said && String(said.answer.chainId) === evmChainOf(row))
    return verifyEvm(rows, row, options, questions, path)
  const message = `Not compared with the node: ${row.stream}, which is not the C chain of it. --rpc with the URL of its JSON-RPC compares it.`
  return { findings: [], remarks: [{ stream: row.stream, message }] }
}

/** Containers of a stream, by whatever index and method the node offers. */
async function verifyContainers(
  rows: LakeRows,
  row: CoverageRow,
  options: SourceOptions,
  questions: NodeQuestions,
): Promise<Checked> {
  const fxs = await fxsOfNode(nameOf(row), options, questions)
  if (fxs === 'unknown') return { findings: [], remarks: [], unverifiable: [fxsUnknown(row)] }
  const reading = await readingOf(rows, row, fxs)
  if (reading === null) return nothingFound
  const path = row.stream.slice(row.network.length + 1)
  const sampled: SampledStream = { rows, row, path, reading, options, questions }
  return path.endsWith('/block') ? verifyChain(sampled) : verifyLegacy(sampled)
}

type SampledStream = {
  readonly rows: LakeRows
  readonly row: CoverageRow
  /** As the index has it, such as `P/block`. */
  readonly path: string
  readonly reading: Reading
  readonly options: SourceOptions
  readonly questions: NodeQuestions
}

async function verifyChain(sampled: SampledStream): Promise<Checked> {
  const { rows, row, path, reading, options, questions } = sampled
  const { transport, stop } = options
  const { heightOf } = reading
  const index = createIndexByHeight(createIndexApi(transport, path, { tries: 1 }), { path, heightOf })
  const head = await questions.ask(`index.getLastAccepted of ${path}`, () => index.lastAccepted(stop))
  const remarks: Remark[] = []
  const last = head !== null && 'answer' in head ? (head.answer?.index ?? -1) : null
  if (last !== null && last < row.slice.to - 1)
    remarks.push({
      stream: row.stream,
      message: `The node is behind the lake in ${row.stream}: its last container is ${last}, that of the lake ${row.slice.to - 1}.`,
    })
  const wanted = sampleOf(row, options.sample).filter((at) => last === null || at <= last)
  const first = index.first()
  if (first > row.slice.from)
    remarks.push({
      stream: row.stream,
      message: `Not compared with the index of the node: ${row.stream} below ${Math.min(first, row.slice.to)}, where the index is incomplete.`,
    })
  const findings = await compareSample(row, options, wanted, async (some) => {
    const indexed = some.filter((at) => at >= first)
    const { answers, refusals } = await askEach(row, 'a container', indexed, (at) =>
      questions.ask(`index.getContainerByIndex of ${path}`, () => index.container(at, stop)),
    )
    const containers = answers.map(({ answer }) => answer)
    return [
      ...refusals,
      ...(await compareAll(rows, row, reading.output, containers, reading.context, ofIndex)),
      ...(await askById(sampled, containers, first)),
      ...(path === 'C/block' ? [] : await askByHeight(sampled, some)),
    ]
  })
  return { findings, remarks }
}

/**
 * The frozen indexes of before the X chain was linear: their order is each node's own, so that what the lake has is asked for by its id
 * (index.getContainerByID).
 */
async function verifyLegacy({ rows, row, path, reading, options, questions }: SampledStream): Promise<Checked> {
  const sequence = sequences.find((one) => one.table.name === row.table && one.path.test(path))
  if (sequence === undefined || rows.torn(sequence.table)) return nothingFound
  const findings = await compareSample(row, options, sampleOf(row, options.sample), async (some) => {
    const known = await idsAt(rows, row, sequence, some)
    const { answers, refusals } = await askEach(row, 'a container', known, ({ id }) =>
      askIndex(path, 'getContainerByID', { id, encoding: 'hex' }, options, questions),
    )
    const containers = answers.map(({ of, answer }): Container => {
      const bytes = bytesOfCheckedHex(fieldOf(answer, 'bytes'))
      return { index: of.index, id: reading.derive(bytes), acceptedAtNs: 0n, bytes }
    })
    return [...refusals, ...(await compareAll(rows, row, reading.output, containers, reading.context, byId))]
  })
  return { findings, remarks: [] }
}

/** Asks an index about a container by its id, under both names that nodes have had for it. */
function askIndex(
  path: string,
  method: string,
  { id, ...params }: { readonly id: string; readonly encoding?: string },
  { transport, stop }: SampleOptions,
  questions: NodeQuestions,
): Promise<Outcome<unknown>> {
  return questions.ask(`index.${method} of ${path}`, () =>
    callRpc(transport, `/ext/index/${path}`, `index.${method}`, { id, containerID: id, ...params }, { signal: stop }),
  )
}

async function idsAt(
  { engine, inventory, filesBetween, relation }: LakeRows,
  { network, stream }: CoverageRow,
  { table, place, only = 'true' }: Sequence,
  indices: readonly number[],
): Promise<{ index: number; id: string }[]> {
  const id = table.key.at(-1) ?? ''
  const chain = chainId(inventory, network, stream.slice(network.length + 1).split('/')[0] ?? '')
  const files = await filesBetween(table, place, { from: Math.min(...indices), to: Math.max(...indices) })
  const found = await engine.rows(
    `SELECT ${sqlName(place)}::INTEGER AS at, ${sqlName(id)} AS id FROM ${relation(table, files)}
     WHERE network = ${sqlText(network)} AND blockchain_id = ${sqlText(chain)} AND ${only} AND ${sqlName(place)} IN (${indices.join(', ')}) ORDER BY 1`,
  )
  return found.map((row) => ({ index: row['at'], id: row['id'] }))
}

/** The id of a container leads back to it: index.getContainerByID, index.getIndex, index.isAccepted. */
async function askById(
  { row, path, options, questions }: SampledStream,
  containers: readonly Container[],
  first: number,
): Promise<Finding[]> {
  const ask = (method: string, id: string, encoding: object = {}) =>
    askIndex(path, method, { id, ...encoding }, options, questions)
  const each = await Promise.all(
    containers.map(async ({ index, id, bytes }): Promise<Finding[]> => {
      const found: [string, string, string][] = []
      const byId = await ask('getContainerByID', id, { encoding: 'hex' })
      if (byId !== null && 'answer' in byId) {
        const given = Buffer.from(bytesOfCheckedHex(fieldOf(byId.answer, 'bytes'))).toString('hex')
        const own = Buffer.from(bytes).toString('hex')
        if (given !== own) found.push(['index.getContainerByID', `the bytes of container ${index}`, 'others'])
      }
      const at = await ask('getIndex', id)
      if (at !== null && 'answer' in at && String(fieldOf(at.answer, 'index')) !== String(index - first))
        found.push(['index.getIndex', String(index - first), String(fieldOf(at.answer, 'index'))])
      const accepted = await ask('isAccepted', id)
      if (accepted !== null && 'answer' in accepted && fieldOf(accepted.answer, 'isAccepted') !== true)
        found.push(['index.isAccepted', 'true', String(fieldOf(accepted.answer, 'isAccepted'))])
      for (const outcome of [byId, at, accepted])
        if (outcome !== null && 'refusal' in outcome) found.push(['the index', 'an answer', outcome.refusal])
      return found.map(([method, expected, answer]) => ({
        kind: 'source.different',
        message: `${method} says another thing of container ${index} than its place in the index.`,
        network: row.network,
        table: row.table,
        stream: row.stream,
        slice: { from: index, to: index + 1 },
        key: { container_id: id },
        expected,
        found: answer,
      }))
    }),
  )
  return each.flat()
}

/** The same blocks by platform.getBlockByHeight or xvm.getBlockByHeight. */
async function askByHeight(
  { rows, row, path, reading, options: { transport, stop, identity }, questions }: SampledStream,
  indices: readonly number[],
): Promise<Finding[]> {
  const chain = path.slice(0, path.indexOf('/'))
  const namespace = chain === 'P' ? 'platform' : 'xvm'
  const [declared] = await pipelineOf(chain, 'block').streams(
    { source: 'rpc', ...(chain === 'P' || chain === 'X' ? {} : { chain }) },
    { node: async () => identity, ask: async () => (reading.context as ChainContext).fxs } as unknown as Facts,
  )
  if (declared === undefined) return []
  const { outputs, context } = declared.walk as Range<HeightBlock>
  const { answers, refusals } = await askEach(row, 'a block by height', indices, (index) =>
    questions.ask(`${namespace}.getBlockByHeight of ${chain}`, () =>
      askNode(
        transport,
        {
          host: 'node',
          place: theNode,
          path: `/ext/bc/${chain}`,
          method: `${namespace}.getBlockByHeight`,
          params: { height: String(index + 1), encoding: 'hex' },
        },
        {
          parse: (answer): HeightBlock => ({ index, bytes: bytesOfCheckedHex(fieldOf(answer, 'block')) }),
          signal: stop,
        },
      ),
    ),
  )
  const blocks = answers.map(({ answer }) => answer)
  return [...refusals, ...(await compareAll(rows, row, outputs[0], blocks, context, byHeight))]
}
