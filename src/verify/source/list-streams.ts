import type { StreamFacts } from '../../catalog/catalog.ts'
import type { Facts, Parameter, Pipeline, StreamDeclaration, Table } from '../../define/index.ts'
import { ChainlakeError } from '../../errors.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { keySql, keyText } from '../../lookup/key-text.ts'
import { streamId } from '../../model.ts'
import { declaredStreams } from '../../run/job/declared-streams.ts'
import type { Job } from '../../run/job/job.ts'
import type { LakeRows } from '../lake/lake-rows.ts'

/** Where the parameters of lists come from. */
export type KnownLists = {
  /** The pipelines that may have filled the lake. */
  readonly pipelines: readonly Pipeline[]
  /** The jobs of chainlake.yaml that read such lists. */
  readonly jobs: readonly Job[]
}

/** The lists of one kind of source that the lake has rows of. `unknown` are those that neither a job nor their parameters declare. */
type ListStreams = {
  readonly declared: readonly StreamDeclaration[]
  readonly unknown: readonly StreamFacts[]
}

/**
 * Declares the streams of the lake again, as a run does: from the jobs of chainlake.yaml, or from the parameters of the streams. These are
 * all that select rows, so a declared stream with the same ones is the same list. Only a keyed list differs: its keys are not among them, and
 * several jobs may share it.
 */
export async function listStreams(
  rows: LakeRows,
  { pipelines, jobs }: KnownLists,
  facts: Facts,
  isCompared: (known: StreamFacts) => boolean,
): Promise<ListStreams> {
  const ofJobs: StreamDeclaration[] = []
  for (const job of jobs) ofJobs.push(...(await streamsOf(job, facts)))
  const declared: StreamDeclaration[] = []
  const unknown: StreamFacts[] = []
  for (const known of rows.inventory.streams.values()) {
    const pipeline = pipelines.find(({ name }) => name === known.pipeline)
    if (pipeline === undefined || known.walk === 'range' || !isCompared(known) || !hasRows(rows, known)) continue
    const isKnown = ({ stream }: StreamDeclaration) => streamId(stream) === known.stream
    const named = async () => (await streamsOf({ pipeline, values: valuesOf(known, pipeline) }, facts)).find(isKnown)
    const found =
      known.walk === 'keyed'
        ? await keyedStreams(rows, ofJobs.filter(isKnown))
        : (ofJobs.find(isKnown) ?? (await named()))
    const all = found === undefined ? [] : [found].flat()
    if (all.length === 0) unknown.push(known)
    else declared.push(...all)
  }
  return { declared, unknown }
}

/** The keyed lists with the keys that the lake has rows of; without the lists that have no such key. */
async function keyedStreams(rows: LakeRows, streams: readonly StreamDeclaration[]): Promise<StreamDeclaration[]> {
  const found: StreamDeclaration[] = []
  for (const stream of streams) {
    const { walk } = stream
    const [table] = Object.values(stream.tables) as Table[]
    if (walk.kind !== 'keyed' || table === undefined || rows.filesOf(table).length === 0) continue
    const keyOf = keyText(table)
    const texts = walk.keys.map(({ key }) => keyOf({ network: stream.stream.network, ...key }))
    if (texts.length === 0) continue
    const stored = await rows.engine.rows(
      `SELECT ${keySql(table)} AS key FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${keySql(table)} IN (${texts.map(sqlText).join(', ')})`,
    )
    const held = new Set(stored.map(({ key }) => key))
    const keys = walk.keys.filter((_, at) => held.has(texts[at]!))
    if (keys.length > 0) found.push({ ...stream, walk: { ...walk, keys } })
  }
  return found
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
    // Streams of EVM chains have the number of the chain, not the job's name for it.
    ...(/^\d*$/.test(chain) ? {} : { chain }),
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
