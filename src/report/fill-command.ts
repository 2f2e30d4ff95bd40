import { pipelines } from '../../pipelines/index.ts'
import type { Measure } from '../catalog/catalog.ts'
import type { Pipeline } from '../define/index.ts'
import type { Slice } from '../model.ts'
import { sliceUnitOf } from '../run/job/slice-text.ts'

/** Networks whose C chain `evm-blocks` and `evm-logs` read when no chain is named, by their EVM chain ids. */
const cChains: Readonly<Record<string, string>> = { mainnet: '43114', fuji: '43113', local: '43112' }

export type Lacking = {
  /** Such as `mainnet/P/block`. */
  readonly stream: string
  readonly tables: readonly string[]
  /** Null for what is no range, and is read on by running its job again. */
  readonly slice: Slice | null
}

/** The command that reads what is missing of a stream; what only its job knows stands in angle brackets. */
export function fillCommand({ stream, tables, slice }: Lacking, lakeDir: string, measures: readonly Measure[]): string {
  const path = stream.split('?')[0] ?? stream
  const [network = '', first = '', second = ''] = path.split('/')
  const pipeline = pipelineOf(first, second, tables)
  if (pipeline === null) return `chainlake run --all --lake ${shellText(lakeDir)}`
  const jobs = measures.filter((measure) => measure.pipeline === pipeline.name && measure.job !== pipeline.name)
  const [job, ...others] = jobs.map((measure) => measure.job)
  const named = job !== undefined && others.length === 0
  const flags: string[] = []
  if (!named && pipeline.name.startsWith('evm-') && 'chain' in pipeline.parameters && cChains[network] !== second)
    flags.push(`--chain '<URL or id of chain ${second}>'`)
  if (!named && isOtherChain(first)) flags.push(`--chain ${shellText(first)}`)
  if (!named && pipeline.reads !== 'node') flags.push("'<parameters of the job>'")
  if (slice !== null && 'from' in pipeline.parameters && 'to' in pipeline.parameters) {
    const inSeconds = sliceUnitOf(stream) === 'seconds'
    const bound = (value: number): string => (inSeconds ? new Date(value * 1000).toISOString() : String(value))
    flags.push(`--from ${bound(slice.from)}`, `--to ${bound(slice.to)}`)
  }
  for (const [flag, optional] of Object.entries(pipeline.optional ?? {}))
    if (Object.values(optional).some(({ name }) => tables.includes(name))) flags.push(`--${flag}`)
  return ['chainlake run', shellText(named ? job : pipeline.name), ...flags, `--lake ${shellText(lakeDir)}`].join(' ')
}

/** Streams of an index are named after it, all others after their pipeline. */
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

/** A blockchain id in the place of an alias. */
function isOtherChain(first: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{30,}$/.test(first)
}

/** A text as one word of a shell. */
export function shellText(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
