import type { StreamFacts } from '../../catalog/catalog.ts'
import type { Facts, Parameter, Pipeline, StreamDeclaration } from '../../define/index.ts'
import { ChainlakeError } from '../../errors.ts'
import { streamId } from '../../model.ts'
import { declaredStreams } from '../../run/job/declared-streams.ts'
import type { Job } from '../../run/job/job.ts'
import type { LakeRows } from '../lake/lake-rows.ts'

/** Where the parameters of lists come from. */
export type KnownLists = {
  /** The pipelines that may have filled the lake. */
  readonly pipelines: readonly Pipeline[]
  /** The jobs of chainlake.yaml that read services. */
  readonly jobs: readonly Job[]
}

/** The lists of services that the lake has rows of. `unknown` are those that neither a job nor their parameters declare. */
export type ServiceStreams = {
  readonly declared: readonly StreamDeclaration[]
  readonly unknown: readonly StreamFacts[]
}

/**
 * Declares the streams of the lake again, as a run does: from the jobs of chainlake.yaml, or from the parameters of the streams. These are
 * all that select rows, so a declared stream with the same ones is the same list.
 */
export async function serviceStreams(
  rows: LakeRows,
  { pipelines, jobs }: KnownLists,
  facts: Facts,
): Promise<ServiceStreams> {
  const ofJobs = new Map<string, StreamDeclaration>()
  for (const job of jobs) for (const each of await streamsOf(job, facts)) ofJobs.set(streamId(each.stream), each)
  const declared: StreamDeclaration[] = []
  const unknown: StreamFacts[] = []
  for (const known of rows.inventory.streams.values()) {
    const pipeline = pipelines.find(({ name, reads }) => name === known.pipeline && reads !== 'node')
    if (pipeline === undefined || !hasRows(rows, known)) continue
    const named = async () =>
      (await streamsOf({ pipeline, values: valuesOf(known, pipeline) }, facts)).find(
        ({ stream }) => streamId(stream) === known.stream,
      )
    const found = ofJobs.get(known.stream) ?? (await named())
    if (found === undefined) unknown.push(known)
    else declared.push(found)
  }
  return { declared, unknown }
}

/** The streams of a job; none if its values are wrong or the service does not answer. */
async function streamsOf(job: Pick<Job, 'pipeline' | 'values'>, facts: Facts): Promise<readonly StreamDeclaration[]> {
  try {
    return await declaredStreams(job, facts)
  } catch (error) {
    if (error instanceof ChainlakeError) return []
    throw error
  }
}

function hasRows({ inventory }: LakeRows, { network, tables }: StreamFacts): boolean {
  return inventory.tables.some(
    ({ name, files }) =>
      tables.includes(name) && files.some((file) => file.network === null || file.network === network),
  )
}

/** The values of the parameters of a pipeline for one of its streams. */
function valuesOf(stream: StreamFacts, { parameters }: Pipeline): Record<string, unknown> {
  const given = new Map(Object.entries(stream.parameters).map(([name, value]) => [letters(name), value]))
  const { network, chain = '' } = stream
  const ofColumns: Record<string, string> = {
    network,
    'chain-id': chain,
    blockchain: /^[PXC]$/.test(chain) ? `${chain.toLowerCase()}-chain` : chain,
  }
  const values = Object.entries<Parameter>(parameters).flatMap(([name, parameter]) => {
    // One stream reads one item of some lists, such as `contract` of `contracts`.
    const value = given.get(letters(name)) ?? given.get(letters(name).replace(/s$/, '')) ?? ofColumns[name]
    return value === undefined ? [] : [[name, givenValue(parameter, value)] as const]
  })
  return Object.fromEntries(values)
}

function letters(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

function givenValue({ kind }: Parameter, value: string | readonly string[]): unknown {
  if (kind === 'list') return [value].flat()
  if (kind === 'boolean') return value === 'true'
  return kind === 'whole' || kind === 'time' ? Number(value) : value
}
