import type { PoolClient } from 'pg'
import { CatalogUnreachableError } from '../../errors.ts'
import { lateConnection, patienceOf, setDeadline } from './deadline.ts'
import { isLost, serverFailure, silenceFailure } from './failure.ts'
import { beatMs, connectMs, type Server, silenceMs } from './server.ts'
import { endClient, watchAnswers } from './watch-answers.ts'

/**
 * Runs `work` on a connection of the pool and sends heartbeats while it runs. After a failure, the connection is closed and not reused.
 * `stop` shortens the wait for a server that does not answer.
 */
export async function connected<T>(
  server: Server,
  work: (client: PoolClient) => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const client = await freshClient(server, stop).catch((error: unknown) => {
    throw serverFailure(error, server.name)
  })
  // If the connection breaks, the pending statements fail.
  const ignore = () => undefined
  client.on('error', ignore)
  const endWatch = watchAnswers(server, client, stop)
  const frozenMs = longestPause()
  const beat = setInterval(() => {
    frozenMs()
    client.query('SELECT 1').catch(ignore)
  }, beatMs).unref()
  let isUsable = false
  try {
    await server.verify(client)
    const result = await work(client)
    isUsable = true
    return result
  } catch (error) {
    const failure = serverFailure(error, server.name)
    const isUnreachable = failure instanceof CatalogUnreachableError && failure.code === 'catalog.unreachable'
    throw isUnreachable && frozenMs() > silenceMs - beatMs ? silenceFailure(failure.details, failure) : failure
  } finally {
    clearInterval(beat)
    endWatch()
    client.off('error', ignore)
    usedAtMs.set(client, performance.now())
    if (isUsable) client.release()
    else drop(client)
  }
}

function drop(client: PoolClient): void {
  void endClient(client, () => client.release(true))
}

/** Returns a function that measures the longest time between two of its calls, in milliseconds. */
function longestPause(): () => number {
  let [lastMs, longestMs] = [performance.now(), 0]
  return () => {
    const nowMs = performance.now()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
    return longestMs
  }
}

const usedAtMs = new WeakMap<PoolClient, number>()

/** A connection that was used recently. The server closes idle connections, for example those of a process that was frozen. */
async function freshClient(server: Server, stop: AbortSignal | undefined): Promise<PoolClient> {
  for (;;) {
    const client = await pooledClient(server, stop)
    if (performance.now() - (usedAtMs.get(client) ?? performance.now()) < silenceMs / 2) return client
    drop(client)
  }
}

/** A connection of the pool. The timeout is short if the server did not answer lately or the process is stopping. */
function pooledClient(server: Server, stop: AbortSignal | undefined): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const end = setDeadline(patienceOf(server, connectMs, stop), stop, () => {
      isLate = true
      server.silence.atMs = performance.now()
      reject(lateConnection())
    })
    server.pool.connect().then(
      (client) => {
        end()
        if (isLate) client.release()
        else resolve(client)
      },
      (error: unknown) => {
        end()
        if (isLost(error)) server.silence.atMs = performance.now()
        reject(error)
      },
    )
  })
}
