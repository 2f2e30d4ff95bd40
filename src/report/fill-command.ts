import { pipelines } from '../../pipelines/index.ts'
import type { Measure, StreamStatus } from '../catalog/catalog.ts'
import type { Pipeline } from '../define/index.ts'
import { shellText } from '../lib/text/visible-text.ts'
import type { Slice } from '../model.ts'

/** EVM chain ids of the C-Chains that `evm-blocks` and `evm-logs` read by default, by network. */
const cChains: Readonly<Record<string, string>> = { mainnet: '43114', fuji: '43113', local: '43112' }

type MissingRows = {
  readonly stream: Pick<StreamStatus, 'network' | 'chain' | 'pipeline' | 'unit'>
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
  const { pipeline: name, unit } = stream
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
    ...(named ? [] : jobFlags(pipeline, stream)),
    ...rangeFlags(pipeline, unit, slice),
    ...optional,
    `--lake ${shellText(lakeDir)}`,
  ].join(' ')
}

/** Flags that replace the parameters of a job. */
function jobFlags(pipeline: Pipeline, { network, chain = '' }: MissingRows['stream']): string[] {
  const isEvm = pipeline.name.startsWith('evm-')
  const takesChain = 'chain' in pipeline.parameters
  return [
    ...(takesChain && isEvm && cChains[network] !== chain ? [`--chain '<URL or id of chain ${chain}>'`] : []),
    ...(takesChain && !isEvm && isBlockchainId(chain) ? [`--chain ${shellText(chain)}`] : []),
    ...(pipeline.reads === 'node' ? [] : ["'<parameters of the job>'"]),
  ]
}

function rangeFlags({ parameters }: Pipeline, unit: string, slice: Slice | null): string[] {
  if (slice === null || !('from' in parameters) || !('to' in parameters)) return []
  const inSeconds = unit === 'seconds'
  const bound = (value: number): string => (inSeconds ? new Date(value * 1000).toISOString() : String(value))
  return [`--from ${bound(slice.from)}`, `--to ${bound(slice.to)}`]
}

/** Whether the name of a chain is a blockchain id instead of an alias. */
function isBlockchainId(chain: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{30,}$/.test(chain)
}
