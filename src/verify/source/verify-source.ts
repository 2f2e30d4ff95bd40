import { bytesOfCheckedHex } from '../../../codec/checked-hex.ts'
import { wrapperColumns } from '../../../schemas/shared/block-columns.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { type Range, theNode } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import type { ChainContext, Container, HeightBlock } from '../../model.ts'
import { identifyEvmChain } from '../../sources/evm-chain.ts'
import { fieldOf } from '../../sources/field-of.ts'
import { createIndexApi } from '../../sources/index-api.ts'
import { createIndexByHeight } from '../../sources/index-by-height.ts'
import { askNode } from '../../sources/node-client.ts'
import type { ComparedWith } from '../lake/compare-rows.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import { fxsUnknown } from '../lake/lake-fxs.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { chainId } from '../lake/row-place.ts'
import { type Sequence, sequenceOf } from '../lake/sequences.ts'
import { knownFacts, pipelineOf, readingOf } from '../lake/stream-reading.ts'
import { askById, askIndex } from './node-by-id.ts'
import { fxsOfNode } from './node-fxs.ts'
import { type NodeQuestions, nodeQuestions } from './node-questions.ts'
import {
  type Answered,
  askEach,
  compareAll,
  compareSample,
  kinds,
  type SampledStream,
  type SourceOptions,
  sampleOf,
} from './node-sample.ts'
import { evmChainOf, verifyEvm } from './verify-evm-source.ts'
import { type ChainWithState, chainsWithState, verifyEvmState } from './verify-evm-state.ts'
import { verifyUtxos } from './verify-utxos.ts'
import { withoutCode } from './without-code.ts'

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
export async function verifySource(rows: LakeRows, options: SourceOptions): Promise<Checked> {
  const { network } = options.identity
  const { networks, coverage } = rows.inventory
  const own = networks.find((known) => known.network === network)
  if (own === undefined || !isSameNetwork(own.chains, options.identity.chains))
    throw new OtherSourceError(
      own === undefined
        ? `The node belongs to the network ${network}, but the lake has nothing that was read from a node of this network.`
        : `The node and the lake belong to different networks that are both named ${network}.`,
      {
        details: { 'networks of the lake': networks.map((known) => known.network).join(', ') },
        hint: 'Nothing was compared. Give --node the URL of a node of a network that the lake holds.',
      },
    )
  const questions = nodeQuestions()
  let checked = nothingFound
  const heads = coverage.filter((row) => row.network === network && isHead(row))
  for (const row of heads) {
    const verify = evmChainOf(row) === null ? verifyContainers : verifyC
    checked = bothChecked(checked, await verify(rows, row, options, questions))
  }
  for (const chain of await chainsWithState(rows))
    if (chain.network === network) checked = bothChecked(checked, await verifyStateOfC(rows, chain, options, questions))
  checked = bothChecked(checked, await verifyUtxos(rows, options, questions))
  const compared = new Set(heads.map(({ stream }) => stream))
  const unverifiable = withoutCode(rows, network, compared)
  return bothChecked(checked, { findings: [], remarks: questions.remarks(), unverifiable })
}

type Chains = readonly { readonly alias: string; readonly blockchainId: string }[]

function isSameNetwork(known: Chains, given: Chains): boolean {
  return known.every(({ alias, blockchainId }) => {
    const other = given.find((chain) => chain.alias === alias)
    return other === undefined || other.blockchainId === blockchainId
  })
}

/** Whether the table represents its stream, so that each stream is compared once. */
function isHead(row: CoverageRow): boolean {
  if (row.table === 'x_transactions') return row.origin.kind === 'tx'
  return evmChainOf(row) !== null || ['p_blocks', 'x_blocks', 'x_vertices', 'c_blocks'].includes(row.table)
}

/** Compares the C-Chain, which every node has. Other EVM chains are compared with `--rpc`. */
async function verifyC(
  rows: LakeRows,
  row: CoverageRow,
  options: SourceOptions,
  questions: NodeQuestions,
): Promise<Checked> {
  if (await isC(evmChainOf(row), options, questions)) return verifyEvm(rows, row, { options, questions, path: cPath })
  return { findings: [], remarks: [{ stream: row.stream, message: notC(row.stream) }] }
}

/** Compares the state of the C-Chain, like `verifyC`. */
async function verifyStateOfC(
  rows: LakeRows,
  chain: ChainWithState,
  options: SourceOptions,
  questions: NodeQuestions,
): Promise<Checked> {
  const { chainId } = chain
  if (await isC(chainId, options, questions)) return verifyEvmState(rows, chain, { options, questions, path: cPath })
  return { findings: [], remarks: [{ message: notC(`the chain ${chainId} in the tables of EVM state`) }] }
}

const cPath = '/ext/bc/C/rpc'

async function isC(chainId: string | null, options: SourceOptions, questions: NodeQuestions): Promise<boolean> {
  const said = await questions.ask('eth_chainId of C', () => identifyEvmChain(options.connection, cPath, options.stop))
  return said !== null && 'answer' in said && String(said.answer.chainId) === chainId
}

function notC(of: string): string {
  return `Not compared with the node: ${of} is not its C-Chain. Use --rpc with the URL of the JSON-RPC of this chain.`
}

/** Compares containers of a stream, by every index and method that the node offers. */
async function verifyContainers(
  rows: LakeRows,
  row: CoverageRow,
  options: SourceOptions,
  questions: NodeQuestions,
): Promise<Checked> {
  const fxs = await fxsOfNode(row.origin.chain ?? '', options, questions)
  if (fxs === 'unknown') return { findings: [], remarks: [], unverifiable: [fxsUnknown(row)] }
  const reading = await readingOf(rows, row, fxs)
  if (reading === null) return nothingFound
  const sampled: SampledStream = { rows, row, path: row.origin.path, reading, options, questions }
  return row.origin.kind === 'block' ? verifyChain(sampled) : verifyLegacy(sampled)
}

async function verifyChain(sampled: SampledStream): Promise<Checked> {
  const { rows, row, path, reading, options, questions } = sampled
  const { connection, stop } = options
  const { heightOf } = reading
  const index = createIndexByHeight(createIndexApi(connection, path, { tries: 1 }), { path, heightOf })
  const head = await questions.ask(`index.getLastAccepted of ${path}`, () => index.lastAccepted(stop))
  const remarks: Remark[] = []
  const last = head !== null && 'answer' in head ? (head.answer?.index ?? -1) + 1 : null
  if (last !== null && last < row.slice.to - 1)
    remarks.push({
      stream: row.stream,
      message: `The node is behind the lake in ${row.stream}: its last block is ${last}, the last one of the lake is ${row.slice.to - 1}.`,
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
    return [
      ...refusals,
      ...(await compareAll(rows, row, reading.output, answers, reading.context, ofIndex)),
      ...(await askById(sampled, answers, first)),
      ...(row.origin.chain === 'C' ? [] : await askByHeight(sampled, some)),
    ]
  })
  return { findings, remarks }
}

/**
 * Compares the frozen indexes from before the X-Chain was linear. Their order differs between nodes, so containers are requested by id
 * (index.getContainerByID).
 */
async function verifyLegacy({ rows, row, path, reading, options, questions }: SampledStream): Promise<Checked> {
  const sequence = sequenceOf(row)
  if (sequence === undefined || rows.torn(sequence.table)) return nothingFound
  const findings = await compareSample(row, options, sampleOf(row, options.sample), async (some) => {
    const known = await idsAt(rows, row, sequence, some)
    const { answers, refusals } = await askEach(row, 'a container', known, ({ id }) =>
      askIndex(path, 'getContainerByID', { id, encoding: 'hex' }, options, questions),
    )
    const containers = answers.map(({ of: { index }, answer }): Answered<number, Container> => {
      const bytes = bytesOfCheckedHex(fieldOf(answer, 'bytes'))
      return { of: index, answer: { index, id: reading.derive(bytes), acceptedAtNs: 0n, bytes } }
    })
    return [...refusals, ...(await compareAll(rows, row, reading.output, containers, reading.context, byId))]
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
  const chain = chainId(inventory, network, origin.chain ?? '')
  const files = await filesBetween(table, place, { from: Math.min(...indices), to: Math.max(...indices) })
  const found = await engine.rows(
    `SELECT ${sqlName(place)}::INTEGER AS at, ${sqlName(id)} AS id FROM ${relation(table, files)}
     WHERE network = ${sqlText(network)} AND blockchain_id = ${sqlText(chain)} AND ${only} AND ${sqlName(place)} IN (${indices.join(', ')}) ORDER BY 1`,
  )
  return found.map((row) => ({ index: row['at'], id: row['id'] }))
}

/** Compares the same blocks with platform.getBlockByHeight or xvm.getBlockByHeight. */
async function askByHeight(
  { rows, row, reading, options: { connection, stop, identity }, questions }: SampledStream,
  heights: readonly number[],
): Promise<Finding[]> {
  const { chain = '' } = row.origin
  const namespace = chain === 'P' ? 'platform' : 'xvm'
  const facts = knownFacts(identity, (reading.context as ChainContext).fxs)
  const values = { source: 'rpc', ...(chain === 'P' || chain === 'X' ? {} : { chain }) }
  const [declared] = (await pipelineOf(row.origin)?.streams(values, facts)) ?? []
  if (declared === undefined) return []
  const { outputs, context } = declared.walk as Range<HeightBlock>
  const { answers, refusals } = await askEach(row, 'a block by height', heights, (height) =>
    questions.ask(`${namespace}.getBlockByHeight of ${chain}`, () =>
      askNode(
        connection,
        {
          host: 'node',
          endpoint: theNode,
          path: `/ext/bc/${chain}`,
          method: `${namespace}.getBlockByHeight`,
          params: { height: String(height), encoding: 'hex' },
        },
        {
          parse: (answer): HeightBlock => ({ height, bytes: bytesOfCheckedHex(fieldOf(answer, 'block')) }),
          signal: stop,
        },
      ),
    ),
  )
  return [...refusals, ...(await compareAll(rows, row, outputs[0], answers, context, byHeight))]
}
