import { pipelines } from '../../pipelines/index.ts'
import type { Measure } from '../catalog/catalog.ts'
import type { Pipeline } from '../define/index.ts'
import { shellText } from '../lib/text/visible-text.ts'
import type { Slice } from '../model.ts'
import { withoutParameters } from '../model.ts'

/** EVM chain ids of the C-Chains that `evm-blocks` and `evm-logs` read by default, by network. */
const cChains: Readonly<Record<string, string>> = { mainnet: '43114', fuji: '43113', local: '43112' }

type MissingRows = {
  /** Id of the stream, such as `mainnet/P/block`. */
  readonly stream: string
  /** The pipeline of the stream; null if no run declared it. */
  readonly pipeline: string | null
  /** What the slice counts. */
  readonly unit: string
  readonly tables: readonly string[]
  /** Null for streams without ranges: the next run of their job continues them. */
  readonly slice: Slice | null
}

/** The command that fetches the missing rows of a stream. Values that only the job knows are placeholders in angle brackets. */
export function fillCommand(
  { stream, pipeline: name, unit, tables, slice }: MissingRows,
  lakeDir: string,
  measures: readonly Measure[],
): string {
  const path = withoutParameters(stream)
  const [network = '', first = '', second = ''] = path.split('/')
  if (name === null) return `chainlake run --all --lake ${shellText(lakeDir)}`
  const jobs = measures.filter((measure) => measure.pipeline === name && measure.job !== name)
  const [job, ...others] = jobs.map((measure) => measure.job)
  const named = job !== undefined && others.length === 0
  const command = `chainlake run ${shellText(named ? job : name)}`
  const pipeline = pipelines.find((each) => each.name === name)
  // The parameters of a program's own pipelines are known only to the program.
  if (pipeline === undefined) return `${command} --lake ${shellText(lakeDir)}`
  const optional = Object.entries(pipeline.optional ?? {}).flatMap(([flag, more]) =>
    Object.values(more).some(({ name }) => tables.includes(name)) ? [`--${flag}`] : [],
  )
  return [
    command,
    ...(named ? [] : jobFlags(pipeline, network, first, second)),
    ...rangeFlags(pipeline, unit, slice),
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

function rangeFlags({ parameters }: Pipeline, unit: string, slice: Slice | null): string[] {
  if (slice === null || !('from' in parameters) || !('to' in parameters)) return []
  const inSeconds = unit === 'seconds'
  const bound = (value: number): string => (inSeconds ? new Date(value * 1000).toISOString() : String(value))
  return [`--from ${bound(slice.from)}`, `--to ${bound(slice.to)}`]
}

/** Whether a stream begins with a blockchain id instead of an alias. */
function isOtherChain(first: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{30,}$/.test(first)
}
