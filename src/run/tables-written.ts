import { chains } from '../../schemas/chains.ts'
import type { Table } from '../define/index.ts'
import { isServiceJob, type Job, tablesOf } from './job.ts'
import type { OpenNode } from './open-node.ts'
import type { OpenService } from './open-service.ts'

/** Names of the tables that the jobs of a run add to; every run that reads a node also writes the chains. */
export function tablesWritten(
  jobs: readonly Job[],
  { node, service }: { readonly node: OpenNode | null; readonly service: OpenService | null },
): string[] {
  const tables = jobs.flatMap((job) =>
    isServiceJob(job)
      ? (service?.streamsOf(job) ?? []).flatMap((stream) => Object.values(stream.tables) as Table[])
      : tablesOf(job),
  )
  return [...new Set([...tables, ...(node === null ? [] : [chains])].map(({ name }) => name))]
}
