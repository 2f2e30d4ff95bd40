import type { TableResult } from './lake-run.ts'
import type { ContainerJobResult } from './run-job.ts'
import type { ServiceJobResult } from './service-job.ts'

export type JobResult = ContainerJobResult | ServiceJobResult

/** What two rounds of a job did together. */
export function addResults(before: JobResult | undefined, now: JobResult): JobResult {
  if (before === undefined) return now
  const both = {
    seconds: before.seconds + now.seconds,
    upToDate: before.upToDate && now.upToDate,
    tables: addTables(before.tables, now.tables),
  }
  if (now.kind === 'service') return { ...now, ...both, pages: (before as ServiceJobResult).pages + now.pages }
  const earlier = before as ContainerJobResult
  return { ...now, ...both, containers: earlier.containers + now.containers, units: earlier.units + now.units }
}

function addTables(before: readonly TableResult[], now: readonly TableResult[]): TableResult[] {
  return now.map((table) => {
    const earlier = before.find(({ name }) => name === table.name)
    if (earlier === undefined) return table
    return {
      name: table.name,
      rows: earlier.rows + table.rows,
      bytes: earlier.bytes + table.bytes,
      files: earlier.files + table.files,
    }
  })
}
