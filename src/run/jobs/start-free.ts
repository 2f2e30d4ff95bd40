import { chains } from '../../../schemas/chains.ts'
import type { Catalog, Run } from '../../catalog/catalog.ts'
import type { Endpoint, NetworkIdentity, StreamDeclaration } from '../../define/index.ts'
import { StreamTakenError } from '../../errors.ts'
import { type Stream, streamId } from '../../model.ts'
import type { Job } from '../job/job.ts'
import { streamFacts } from '../job/stream-facts.ts'
import { ownTables } from '../units/own-tables.ts'
import { type OwnViews, ownViews } from './own-views.ts'
import { chainsStream } from './write-chains.ts'

/** A job that was skipped because other live runs hold some of its streams. */
export type BusyJob = { readonly name: string; readonly reason: string; readonly streams: readonly string[] }

export type Started = {
  readonly run: Run
  /** The jobs that no other run holds a stream of. */
  readonly jobs: readonly Job[]
  readonly streams: readonly Stream[]
  /** Names of the tables that these streams fill. */
  readonly writes: readonly string[]
  readonly busy: readonly BusyJob[]
} & OwnViews

type StartOptions = {
  readonly catalog: Pick<Catalog, 'startRun' | 'tables' | 'views'>
  /** The identity of the run's node; null: the run uses no node. */
  readonly identity: NetworkIdentity | null
  /** The id of the node of an endpoint; null where it reports none. */
  readonly nodeIdOf: (endpoint: Endpoint) => Promise<string | null>
  /** Default: `run`. */
  readonly command?: string
  readonly takesOver?: true
  readonly dropsColumns?: true
}

/** Registers a run of those jobs that have only free streams. Throws StreamTakenError when there are none. */
export async function startFree(
  requested: readonly Job[],
  declaredOf: ReadonlyMap<Job, readonly StreamDeclaration[]>,
  { catalog, identity, nodeIdOf, ...command }: StartOptions,
): Promise<Started> {
  const about = identity === null ? {} : { network: identity, checkCovered: [chainsStream(identity.network)] }
  const idsOf = (job: Job) => (declaredOf.get(job) ?? []).map(({ stream }) => streamId(stream))
  const nodeIds = await orderingNodes(
    requested.flatMap((job) => declaredOf.get(job) ?? []),
    nodeIdOf,
  )
  let jobs = requested
  const busy: BusyJob[] = []
  for (;;) {
    const declared: readonly StreamDeclaration[] = jobs.flatMap((job) => declaredOf.get(job) ?? [])
    const streams = [...new Map(declared.map(({ stream }) => [streamId(stream), stream])).values()]
    const writes = tablesWritten(declared, identity !== null)
    const declares = jobs.flatMap((job) =>
      (declaredOf.get(job) ?? []).map((stream) => {
        const endpoint = orderingEndpoint(stream)
        return streamFacts(job.pipeline.name, stream, endpoint && nodeIds.get(endpoint.url))
      }),
    )
    const tables = ownTables(declared)
    const views = await ownViews(jobs, declared, catalog)
    const options = { streams, command: 'run', ...command, writes, declares, tables, ...views, ...about }
    const started = await catalog.startRun(options).catch(orTaken)
    if (!(started instanceof StreamTakenError)) return { run: started, jobs, streams, writes, busy, ...views }
    const { message: reason, streams: taken } = started
    const busyNow = jobs.filter((job) => idsOf(job).some((id) => taken.includes(id)))
    if (busyNow.length === 0 || busyNow.length === jobs.length) throw started
    for (const job of busyNow)
      busy.push({ name: job.name, reason, streams: idsOf(job).filter((id) => taken.includes(id)) })
    jobs = jobs.filter((job) => !busyNow.includes(job))
  }
}

/** The endpoint of the node that numbers the records of a stream; null if the chain numbers them. */
function orderingEndpoint({ walk }: StreamDeclaration): Endpoint | null {
  return walk.kind === 'range' && walk.order === 'node' ? walk.endpoint : null
}

/** The ids of the nodes that order records, by the URL of the endpoint. Each node is asked once. */
async function orderingNodes(
  streams: readonly StreamDeclaration[],
  nodeIdOf: StartOptions['nodeIdOf'],
): Promise<ReadonlyMap<string | null, string | null>> {
  const endpoints = new Map(streams.map(orderingEndpoint).flatMap((each) => (each === null ? [] : [[each.url, each]])))
  const ids = await Promise.all(
    Array.from(endpoints, async ([url, endpoint]) => [url, await nodeIdOf(endpoint)] as const),
  )
  return new Map(ids)
}

function orTaken(error: unknown): StreamTakenError {
  if (error instanceof StreamTakenError) return error
  throw error
}

/** Names of the tables that streams fill. Every run with a known node also fills the table `chains`. */
function tablesWritten(streams: readonly StreamDeclaration[], knowsNode: boolean): string[] {
  const tables = streams.flatMap((stream) => Object.values(stream.tables))
  return [...new Set([...tables, ...(knowsNode ? [chains] : [])].map(({ name }) => name))]
}
