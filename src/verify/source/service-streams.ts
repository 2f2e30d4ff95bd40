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

/** The lists of services that the lake has rows of. `unknown` are those with parameters that no job and no name gives. */
export type ServiceStreams = {
  readonly declared: readonly StreamDeclaration[]
  readonly unknown: readonly StreamFacts[]
}

/**
 * Declares the streams of the lake again, as a run does: from the jobs of chainlake.yaml, or from the parameters in the names of the streams.
 * A name contains all parameters that select rows, so a declared stream with the same name is the same list.
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
  for (const known of rows.inventory.streams) {
    const pipeline = pipelines.find(({ name, reads }) => name === known.pipeline && reads !== 'node')
    if (pipeline === undefined || !hasRows(rows, known)) continue
    const named = async () =>
      (await streamsOf({ pipeline, values: valuesIn(known.stream, pipeline) }, facts)).find(
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

function hasRows({ inventory }: LakeRows, { stream, tables }: StreamFacts): boolean {
  const network = stream.split('/')[0]
  return inventory.tables.some(
    ({ name, files }) =>
      tables.includes(name) && files.some((file) => file.network === null || file.network === network),
  )
}

/** The values of parameters that the name of a stream contains. */
function valuesIn(stream: string, { parameters }: Pipeline): Record<string, unknown> {
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(stream) ?? []
  const [network, , of = ''] = path.split('/')
  const said = new Map(query.split('&').map((pair) => [letters(pair.split('=', 1)[0]!), pair.replace(/^[^=]*=/, '')]))
  const fromPath: Record<string, string | undefined> = {
    network,
    'chain-id': of,
    blockchain: /^[PXC]$/.test(of) ? `${of.toLowerCase()}-chain` : of,
  }
  const values = Object.entries<Parameter>(parameters).flatMap(([name, parameter]) => {
    // One stream reads one item of some lists, such as `contract` of `contracts`.
    const text = said.get(letters(name)) ?? said.get(letters(name).replace(/s$/, '')) ?? fromPath[name]
    return text === undefined ? [] : [[name, givenValue(parameter, text)] as const]
  })
  return Object.fromEntries(values)
}

function letters(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

function givenValue({ kind }: Parameter, text: string): unknown {
  if (kind === 'list') return text.split(',')
  if (kind === 'boolean') return text === 'true'
  return kind === 'whole' || kind === 'time' ? Number(text) : text
}
