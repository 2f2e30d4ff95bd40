import { parentPort, workerData } from 'node:worker_threads'
import { countStepsIn } from '../../lib/step.ts'
import { findPipeline } from '../../pipeline-modules/find-pipeline.ts'
import { openStore } from '../../store/store-kinds.ts'
import { createParquetThread } from '../../write/parquet-thread.ts'
import { type Connections, createConnections } from '../connections/connections.ts'
import { decodeHere } from '../decode-threads/decode-here.ts'
import { aboveFloor } from '../job/disk-space.ts'
import { windowsAhead } from '../units/range-run.ts'
import { createUnitOpener } from './open-units.ts'
import { cooldownIn } from './shared-endpoints.ts'
import type { FromUnitThread, ThreadStart, ToUnitThread } from './thread-messages.ts'
import { beginThreadWalk, type ThreadWalk } from './thread-walk.ts'

/** A thread that processes units: it fetches, decodes and writes files. It does not open the catalog. */
const port = parentPort
if (port === null) throw new Error('unit-worker.ts runs in a worker thread only.')
const { store: storePlace, node, endpoints, commitEveryMs, partCount, stepCounts }: ThreadStart = workerData
const send = (message: FromUnitThread): void => port.postMessage(message)

countStepsIn(stepCounts)
const parts = new Int32Array(partCount)
const store = aboveFloor(openStore(storePlace), storePlace.lake)
const thread = createParquetThread()
const decodeThreads = decodeHere()

type Opened = {
  readonly concurrency: number
  readonly connections: Connections
  readonly open: ReturnType<typeof createUnitOpener>
}
let opened: Opened | null = null
let walk: ThreadWalk | null = null

/** Reuses the connections of the previous walk unless the number of concurrent requests has changed. */
function connect(concurrency: number): Opened {
  if (opened?.concurrency === concurrency) return opened
  void opened?.connections.close()
  const connections = createConnections({
    ...node,
    concurrency,
    emit: (event) => send({ kind: 'event', event }),
    // A thread is terminated without a last report.
    reportRequestsEveryMs: 0,
    cooldownOf: cooldownIn(endpoints),
  })
  const underWay = windowsAhead({ concurrency })
  const { urls } = endpoints
  return {
    concurrency,
    connections,
    open: createUnitOpener({ connection: connections.connection, urls, underWay, pipelineOf: findPipeline }),
  }
}

function begin(concurrency: number): ThreadWalk {
  thread.renew()
  opened = connect(concurrency)
  const nextPart = (): number => Atomics.add(parts, 0, 1)
  return beginThreadWalk({
    concurrency,
    commitEveryMs,
    store,
    thread,
    decodeThreads,
    nextPart,
    open: opened.open,
    send,
  })
}

port.on('message', (message: ToUnitThread) => {
  switch (message.kind) {
    case 'begin':
      walk = begin(message.concurrency)
      break
    case 'unit':
      walk?.add(message.at, message.unit)
      break
    case 'end':
      walk?.end()
      break
    case 'stop':
      walk?.stop()
  }
})
