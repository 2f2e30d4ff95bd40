import { hostname } from 'node:os'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { catalogOfLake, type InSameTransaction, type Run } from '../../catalog/catalog.ts'
import type { NetworkIdentity } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { Slice } from '../../model.ts'
import { createParquetThread } from '../../write/parquet-thread.ts'
import { createConnections } from '../connections/connections.ts'
import { createDecodeThreads } from '../decode-threads/decode-threads.ts'
import { createMemberOpener } from '../executors/open-units.ts'
import { defaultConcurrency } from '../job/job.ts'
import { reportLostFiles, reportRecovery } from '../publish/report-recovery.ts'
import type { JobResult } from '../rows/job-result.ts'
import { type LakeRun, openLakeRun } from '../rows/lake-run.ts'
import { windowsAhead } from '../units/range-run.ts'
import { verifyChainCheckpoint } from './chain-checkpoint.ts'
import { doSlice, type SliceResult } from './do-slice.ts'
import type { Queue, TakenTask } from './queue.ts'
import { urlHash, urlsOf } from './task.ts'
import { taskPipeline } from './task-pipeline.ts'
import type { WorkerOptions } from './worker-options.ts'

/** Reads slices for a worker, one after another, as one run of the lake. File names contain the id of the run. */
export type SliceWorker = {
  readonly work: (taken: TakenTask, slice: Slice, stop: AbortSignal) => Promise<SliceResult>
  /** Ends the run; the next slice begins a new one. `failed`: the run may have left files. */
  readonly renew: (outcome: 'done' | 'failed') => Promise<void>
  readonly close: () => Promise<void>
}

type Open = { readonly run: Run; readonly lakeRun: LakeRun }

export function createSliceWorker(options: WorkerOptions, queue: Queue): SliceWorker {
  const { lake, emit, urls: known, pipelines = [] } = options
  const concurrency = options.concurrency ?? defaultConcurrency
  const connections = createConnections({ ...options, stop: options.stop, emit })
  const thread = createParquetThread()
  const decodeThreads = createDecodeThreads()
  const openers = new Map<string, ReturnType<typeof createMemberOpener>>()
  const chainCheckpoints = new Set<string>()
  let open: Promise<Open> | null = null

  const begin = async (): Promise<Open> => {
    const catalog = await catalogOfLake(lake, declaredTables, {
      stop: options.stop,
      onCommit: (stored) => emit({ kind: 'stored', ...stored }),
    })
    const run = await catalog.startRun({ streams: [], command: `worker ${process.pid} of ${hostname()}` })
    reportRecovery(run.recovery, emit)
    reportLostFiles(run.lost, emit)
    const { stop } = options
    const shared = { lakeDir: lake.folder, catalog, runId: run.id, thread, decodeThreads, concurrency, stop, emit }
    return { run, lakeRun: openLakeRun(shared) }
  }
  const openerOf = (urls: readonly string[]) => {
    const key = urls.map(urlHash).join()
    const opener =
      openers.get(key) ??
      createMemberOpener({
        connection: connections.connection,
        urls,
        underWay: windowsAhead({ concurrency }),
        pipelineOf: (name) => taskPipeline(name, pipelines),
      })
    openers.set(key, opener)
    return opener
  }

  return {
    async work({ attempt, task }, slice, stop) {
      const pipeline = taskPipeline(task.message, pipelines)
      const urls = urlsOf(task, known)
      await verifyNode(task.message.facts.node, connections)
      open ??= begin()
      const { lakeRun } = await open.catch((error: unknown) => {
        open = null
        throw error
      })
      const [stream] = task.streams
      if (stream === undefined) throw new RangeError('The task has a slice but no stream.')
      const member = await openerOf(urls)({ job: task.message, stream })
      const { chainCheckpoint } = task
      if (chainCheckpoint !== null && !chainCheckpoints.has(JSON.stringify([stream, chainCheckpoint]))) {
        await verifyChainCheckpoint(member, chainCheckpoint, stop)
        chainCheckpoints.add(JSON.stringify([stream, chainCheckpoint]))
      }
      thread.renew()
      const partial: InSameTransaction = (execute) => queue.beatWithin(execute, attempt)
      const whole =
        (result: JobResult): InSameTransaction =>
        (execute) =>
          queue.completeWithin(execute, attempt, result)
      return doSlice({ task, slice, member, pipeline, partial, whole }, { ...lakeRun, stop })
    },
    async renew(outcome) {
      const opened = await open?.catch(() => null)
      open = null
      await opened?.lakeRun.lookup.close()
      await opened?.run.end(outcome)
    },
    async close() {
      await decodeThreads.close()
      await thread.close()
      await connections.close()
    },
  }
}

/** Throws ConfigError when the node of this worker is in another network than the task. */
async function verifyNode(
  planned: NetworkIdentity | null,
  { facts }: ReturnType<typeof createConnections>,
): Promise<void> {
  if (planned === null) return
  const own = await facts.node()
  const same = own.network === planned.network && own.networkId === planned.networkId
  if (same && planned.chains.every((chain) => own.chains.some((other) => other.blockchainId === chain.blockchainId)))
    return
  throw new ConfigError('The node of this worker is in another network than the task.', {
    code: 'work.node-network',
    details: { 'network of the task': planned.network, 'network of the node': own.network },
    hint: 'Start the worker with the --node-url of a node in the network of the task.',
  })
}
