import { tables as declaredTables } from '../../../schemas/index.ts'
import { catalogOfLake, isCatalogHeld } from '../../catalog/catalog.ts'
import { createEmptyLake } from '../../catalog/lake/create-lake.ts'
import type { Connection } from '../../define/connection.ts'
import { theNode } from '../../define/index.ts'
import { readHealth } from '../../sources/node-health.ts'
import { createConnections } from '../connections/connections.ts'
import { cooldownIn, endpointsOf } from '../executors/shared-endpoints.ts'
import { roundInterval } from '../heads/round-interval.ts'
import { type EmitEvent, withoutRepeats } from '../job/events.ts'
import { checkRunOptions } from './check-options.ts'
import { fencedCatalog } from './fenced-catalog.ts'
import { createOutages, untilItSucceeds } from './outage.ts'
import { type Retry, runOnLake } from './run-on-lake.ts'
import type { RunOptions, RunSummary } from './run-options.ts'
import { startJobs } from './start-jobs.ts'
import { ofTask } from './task-of-run.ts'

/**
 * Runs jobs end to end: requests the facts that the streams depend on, plans, fetches, decodes, writes and commits each job, and publishes
 * the views. Throws the reason of `stop` when that is aborted before the lake is open.
 */
export async function runPipelines(requested: RunOptions): Promise<RunSummary> {
  checkRunOptions(requested)
  const { lake, follow, stop, task } = requested
  // The event of a snapshot arrives before its commit has returned.
  let isUnchanged = true
  const emitOnce = withoutRepeats(requested.emit)
  const emit: EmitEvent = (event) => {
    if (event.kind === 'stored' || event.kind === 'merged') isUnchanged = false
    emitOnce(event)
  }
  const outages = createOutages({ emit, pauseMs: follow === undefined ? 0 : roundInterval(follow) })
  const options = { ...requested, emit: outages.emit }
  const starting = outages.of('The start')
  const retry: Retry = (step) => (follow === undefined ? step() : untilItSucceeds(starting, step, stop))
  const endpoints = endpointsOf(options.jobs)
  const connections = createConnections({ ...options, retry, cooldownOf: cooldownIn(endpoints) })
  try {
    const started = ofTask(task, await startJobs(options.jobs, connections, endpoints))
    if (connections.identity() !== null) await retry(() => warnWhenUnhealthy(connections.connection(theNode), options))
    await retry(() => createEmptyLake(lake, stop))
    const opened = await catalogOfLake(lake, declaredTables, {
      stop,
      onCommit: (stored) => emit({ kind: 'stored', ...stored }),
    })
    const catalog = task === undefined ? opened : fencedCatalog(opened, () => task.inSameTransaction)
    return await runOnLake({
      options,
      started,
      endpoints,
      connections,
      catalog,
      outages,
      retry,
      isUnchanged: () => isUnchanged,
    })
  } catch (error) {
    // The run was still waiting for the catalog and has not begun.
    throw stop.aborted && isCatalogHeld(error) ? stop.reason : error
  } finally {
    await connections.close()
  }
}

/** Warns once about an unhealthy node: it still serves the data that it has. */
async function warnWhenUnhealthy(connection: Connection, { emit, stop }: RunOptions): Promise<void> {
  const { healthy, reason } = await readHealth(connection, stop)
  if (healthy) return
  const message = 'The node reports that it is unhealthy. The run reads from it while it responds.'
  emit({ kind: 'warning', message, details: { reason }, once: true })
}
