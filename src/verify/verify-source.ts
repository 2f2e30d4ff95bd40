import { wrapperColumns } from '../../schemas/shared/block-columns.ts'
import type { CoverageRow } from '../catalog/catalog.ts'
import { bytesOfCheckedHex } from '../codec/checked-hex.ts'
import { type Facts, type Range, theNode } from '../define/index.ts'
import { OtherSourceError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import type { Container, HeightBlock } from '../model.ts'
import { fieldOf } from '../sources/field-of.ts'
import { createIndexApi } from '../sources/index-api.ts'
import { askNode } from '../sources/node-client.ts'
import type { ComparedWith } from './compare-rows.ts'
import type { Finding, Remark } from './finding.ts'
import type { Checked, LakeRows } from './lake-rows.ts'
import { type NodeQuestions, nodeQuestions } from './node-questions.ts'
import { batch, compareAll, kinds, refused, type SourceOptions, sampleOf, told } from './node-sample.ts'
import { pipelineOf, readingOf } from './stream-reading.ts'
import { verifyEvm } from './verify-evm-source.ts'

/** When the indexing node accepted something is each node's own; a block by height has no wrapper. */
const ofIndex: ComparedWith = { name: 'the index of the node', kinds, ignored: ['accepted_at', 'accepted_at_ns'] }
const byHeight: ComparedWith = {
  name: 'the block by height of the node',
  kinds,
  ignored: [...Object.keys(wrapperColumns), 'container_index', 'block_time'],
}
/** Asks a node for a sample of what the lake holds of its network, in every way that it offers, and compares. */
export async function verifySource(rows: LakeRows, options: SourceOptions): Promise<Checked> {
  const { network } = options.identity
  const { networks, coverage } = rows.inventory
  const own = networks.find((known) => known.network === network)
  if (own === undefined || !isSameNetwork(own.chains, options.identity.chains))
    throw new OtherSourceError(
      own === undefined
        ? `The node belongs to the network ${network}, of which the lake has nothing.`
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
    const path = row.stream.slice(network.length + 1).replace(/\?.*$/s, '')
    const found = path.startsWith('evm-blocks/')
      ? await verifyEvm(rows, row, options, questions)
      : await verifyChain(rows, row, options, questions)
    findings.push(...found.findings)
    remarks.push(...found.remarks)
  }
  return { findings, remarks: [...remarks, ...questions.remarks()] }
}

type Chains = readonly { readonly alias: string; readonly blockchainId: string }[]

function isSameNetwork(known: Chains, given: Chains): boolean {
  return known.every(({ alias, blockchainId }) => {
    const other = given.find((chain) => chain.alias === alias)
    return other === undefined || other.blockchainId === blockchainId
  })
}

/** One table stands for the slices of a stream; the legacy indexes are in each node's own order. */
function isHead({ table }: CoverageRow): boolean {
  return ['p_blocks', 'x_blocks', 'c_blocks', 'evm_blocks'].includes(table)
}

async function verifyChain(
  rows: LakeRows,
  row: CoverageRow,
  options: SourceOptions,
  questions: NodeQuestions,
): Promise<Checked> {
  const { transport, stop, onProgress } = options
  const path = row.stream.slice(row.network.length + 1)
  const chain = path.split('/')[0] ?? ''
  const reading = await readingOf(rows, row)
  if (reading === null) return { findings: [], remarks: [] }
  const index = createIndexApi(transport, path, { tries: 1 })
  const head = await questions.ask(`index.getLastAccepted of ${path}`, () => index.lastAccepted(stop))
  const findings: Finding[] = []
  const remarks: Remark[] = []
  const last = head !== null && 'answer' in head ? (head.answer?.index ?? -1) : null
  if (last !== null && last < row.slice.to - 1)
    remarks.push({
      stream: row.stream,
      message: `The node is behind the lake in ${row.stream}: its last container is ${last}, that of the lake ${row.slice.to - 1}.`,
    })
  const wanted = sampleOf(row, options.sample).filter((at) => last === null || at <= last)
  for (let start = 0; start < wanted.length && findings.length < told; start += batch) {
    stop.throwIfAborted()
    onProgress({ what: row.stream, done: start, of: wanted.length })
    const some = wanted.slice(start, start + batch)
    const containers: Container[] = []
    for (const outcome of await Promise.all(
      some.map((at) => questions.ask(`index.getContainerByIndex of ${path}`, () => index.container(at, stop))),
    ))
      if (outcome !== null && 'answer' in outcome) containers.push(outcome.answer)
      else if (outcome !== null) findings.push(refused(row, 'a container', outcome.refusal))
    findings.push(...(await compareAll(rows, row, reading.output, containers, reading.context, ofIndex)))
    findings.push(...(await askById(row, path, containers, options, questions)))
    if (chain !== 'C') findings.push(...(await askByHeight(rows, row, chain, some, options, questions)))
  }
  onProgress({ what: row.stream, done: wanted.length, of: wanted.length })
  return { findings: findings.slice(0, told), remarks }
}

/** The id of a container leads back to it: index.getContainerByID, index.getIndex, index.isAccepted. */
async function askById(
  row: CoverageRow,
  path: string,
  containers: readonly Container[],
  { transport, stop }: SourceOptions,
  questions: NodeQuestions,
): Promise<Finding[]> {
  const ask = (method: string, id: string, encoding: object = {}) =>
    questions.ask(`index.${method} of ${path}`, () =>
      callRpc(
        transport,
        `/ext/index/${path}`,
        `index.${method}`,
        { id, containerID: id, ...encoding },
        { signal: stop },
      ),
    )
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
      if (at !== null && 'answer' in at && String(fieldOf(at.answer, 'index')) !== String(index))
        found.push(['index.getIndex', String(index), String(fieldOf(at.answer, 'index'))])
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
  rows: LakeRows,
  row: CoverageRow,
  chain: string,
  indices: readonly number[],
  { transport, stop, identity }: SourceOptions,
  questions: NodeQuestions,
): Promise<Finding[]> {
  const namespace = chain === 'P' ? 'platform' : 'xvm'
  const [declared] = await pipelineOf(chain, 'block').streams(
    { source: 'rpc', ...(chain === 'P' || chain === 'X' ? {} : { chain }) },
    { node: async () => identity } as unknown as Facts,
  )
  if (declared === undefined) return []
  const { outputs, context } = declared.walk as Range<HeightBlock>
  const findings: Finding[] = []
  const blocks: HeightBlock[] = []
  const outcomes = await Promise.all(
    indices.map((index) =>
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
    ),
  )
  for (const outcome of outcomes)
    if (outcome !== null && 'answer' in outcome) blocks.push(outcome.answer)
    else if (outcome !== null) findings.push(refused(row, 'a block by height', outcome.refusal))
  return [...findings, ...(await compareAll(rows, row, outputs[0], blocks, context, byHeight))]
}
