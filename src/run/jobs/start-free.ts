import type { Catalog, Run } from '../../catalog/catalog.ts'
import type { NetworkIdentity, StreamDeclaration } from '../../define/index.ts'
import { StreamTakenError } from '../../errors.ts'
import { type Stream, streamId } from '../../model.ts'
import type { Job } from '../job/job.ts'
import { tablesWritten } from './tables-written.ts'
import { chainsStream } from './write-chains.ts'

/** A job that did not run since live runs have some of its streams. */
export type BusyJob = { readonly name: string; readonly reason: string; readonly streams: readonly string[] }

export type Started = {
  readonly run: Run
  /** Those whose streams nobody else has. */
  readonly jobs: readonly Job[]
  readonly streams: readonly Stream[]
  /** Those of these jobs, and the tables that they write. */
  readonly declared: readonly StreamDeclaration[]
  readonly writes: readonly string[]
  readonly busy: readonly BusyJob[]
}

/** Registers a run of those jobs whose streams are free. Throws StreamTakenError when there are none. */
export async function startFree(
  given: readonly Job[],
  declared: ReadonlyMap<Job, readonly StreamDeclaration[]>,
  {
    startRun,
    identity,
    ...command
  }: {
    readonly startRun: Catalog['startRun']
    /** Who the node of the run is; null: it asks none. */
    readonly identity: NetworkIdentity | null
    /** `run` when absent. */
    readonly command?: string
    readonly takesOver?: true
  },
): Promise<Started> {
  const about = identity === null ? {} : { network: identity, asks: [chainsStream(identity.network)] }
  const idsOf = (job: Job) => (declared.get(job) ?? []).map(({ stream }) => streamId(stream))
  let jobs = given
  const busy: BusyJob[] = []
  for (;;) {
    const all: readonly StreamDeclaration[] = jobs.flatMap((job) => declared.get(job) ?? [])
    const streams = [...new Map(all.map(({ stream }) => [streamId(stream), stream])).values()]
    const writes = tablesWritten(all, identity !== null)
    try {
      const run = await startRun({ streams, command: 'run', ...command, writes, ...about })
      return { run, jobs, streams, declared: all, writes, busy }
    } catch (error) {
      if (!(error instanceof StreamTakenError)) throw error
      const taken = new Set(error.streams)
      const free = jobs.filter((job) => !idsOf(job).some((id) => taken.has(id)))
      if (free.length === 0 || free.length === jobs.length) throw error
      for (const job of jobs)
        if (!free.includes(job))
          busy.push({ name: job.name, reason: error.message, streams: idsOf(job).filter((id) => taken.has(id)) })
      jobs = free
    }
  }
}
