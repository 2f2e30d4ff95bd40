import { pipelines } from '../../pipelines/index.ts'
import type { Measure } from '../catalog/catalog.ts'
import type { Pipeline } from '../define/index.ts'
import type { Slice } from '../model.ts'
import { sliceUnitOf } from '../run/job/slice-text.ts'

/** EVM chain ids of the C-Chains that `evm-blocks` and `evm-logs` read by default, by network. */
const cChains: Readonly<Record<string, string>> = { mainnet: '43114', fuji: '43113', local: '43112' }

export type MissingRows = {
  /** Id of the stream, such as `mainnet/P/block`. */
  readonly stream: string
  readonly tables: readonly string[]
  /** Null for streams without ranges: the next run of their job continues them. */
  readonly slice: Slice | null
}

/** The command that fetches the missing rows of a stream. Values that only the job knows are placeholders in angle brackets. */
export function fillCommand(
  { stream, tables, slice }: MissingRows,
  lakeDir: string,
  measures: readonly Measure[],
): string {
  const path = stream.split('?')[0] ?? stream
  const [network = '', first = '', second = ''] = path.split('/')
  const pipeline = pipelineOf(first, second, tables)
  if (pipeline === null) return `chainlake run --all --lake ${shellText(lakeDir)}`
  const jobs = measures.filter((measure) => measure.pipeline === pipeline.name && measure.job !== pipeline.name)
  const [job, ...others] = jobs.map((measure) => measure.job)
  const named = job !== undefined && others.length === 0
  const optional = Object.entries(pipeline.optional ?? {}).flatMap(([flag, more]) =>
    Object.values(more).some(({ name }) => tables.includes(name)) ? [`--${flag}`] : [],
  )
  return [
    'chainlake run',
    shellText(named ? job : pipeline.name),
    ...(named ? [] : jobFlags(pipeline, network, first, second)),
    ...rangeFlags(pipeline, stream, slice),
    ...optional,
    `--lake ${shellText(lakeDir)}`,
  ].join(' ')
}

/** Flags that replace the parameters of a job. */
function jobFlags(pipeline: Pipeline, network: string, first: string, second: string): string[] {
  const isOtherEvm = pipeline.name.startsWith('evm-') && 'chain' in pipeline.parameters && cChains[network] !== second
  return [
    ...(isOtherEvm ? [`--chain '<URL or id of chain ${second}>'`] : []),
    ...(isOtherChain(first) ? [`--chain ${shellText(first)}`] : []),
    ...(pipeline.reads === 'node' ? [] : ["'<parameters of the job>'"]),
  ]
}

function rangeFlags({ parameters }: Pipeline, stream: string, slice: Slice | null): string[] {
  if (slice === null || !('from' in parameters) || !('to' in parameters)) return []
  const inSeconds = sliceUnitOf(stream) === 'seconds'
  const bound = (value: number): string => (inSeconds ? new Date(value * 1000).toISOString() : String(value))
  return [`--from ${bound(slice.from)}`, `--to ${bound(slice.to)}`]
}

/** The pipeline of a stream. A stream of an index has the name of the index; all other streams begin with the name of their pipeline. */
function pipelineOf(first: string, second: string, tables: readonly string[]): Pipeline | null {
  const named = pipelines.find(({ name }) => name === first)
  if (named !== undefined) return named
  const legacy = { tx: 'x-transactions', vtx: 'x-vertices' }[second]
  const candidates = pipelines.filter(({ walks }) => walks.includes('range'))
  if (legacy !== undefined) return candidates.find(({ name }) => name === legacy) ?? null
  const chain = { P: 'p-blocks', X: 'x-blocks', C: 'c-blocks' }[first]
  if (chain !== undefined) return candidates.find(({ name }) => name === chain) ?? null
  return candidates.find((each) => Object.values(each.tables).some(({ name }) => tables.includes(name))) ?? null
}

/** Whether a stream begins with a blockchain id instead of an alias. */
function isOtherChain(first: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{30,}$/.test(first)
}

/** Quotes a text as one word of a shell. */
export function shellText(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
