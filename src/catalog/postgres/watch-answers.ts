import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientBase } from 'pg'
import type { Row } from '../session/session.ts'
import { lateAfter, type Patience } from './deadline.ts'
import { isLost, sqlState } from './failure.ts'

/** A server that can be queried about its connections over another connection. */
export type AskableServer = Patience & {
  /** Runs one query over a new connection, with a timeout, to learn about other connections. `stop` shortens the timeout. */
  readonly askOnce: (sql: string, parameters: readonly unknown[], stop?: AbortSignal) => Promise<Row[]>
}

type Watched = Client & { readonly processID: number; readonly readyForQuery: boolean }

/** Longest interval between checks of a connection, in milliseconds. */
const mostTickMs = 500
/** If the server answers but cannot report the state of a session, wait this many times the usual timeout. */
const doubts = 6

/**
 * Destroys a connection that is open but passes no data, for example after a network failure behind a proxy. Otherwise its statement would
 * wait forever. A statement may also take long for a good reason, such as a lock. So when an answer is late, this checks over another
 * connection whether the server still works on it. `stop` shortens the timeouts. Returns a function that ends the watch.
 */
export function watchAnswers(server: AskableServer, watched: ClientBase, stop: AbortSignal | undefined): () => void {
  const client = watched as Watched
  const lateMs = () => lateAfter(server, stop)
  const { stream } = client.connection
  let heardMs = performance.now()
  let unsent = stream.writableLength
  let isAsking = false
  let isOver = false
  const hear = () => {
    heardMs = performance.now()
  }
  const lateFor = () => performance.now() - heardMs - lateMs()
  const ask = async () => {
    const working = await isWorking(server, client.processID, stop)
    if (working === true) return hear()
    if (working === null && lateFor() < (doubts - 1) * lateMs()) return
    // The answer may already be on its way.
    await wait(Math.min(500, lateMs() / 4))
    if (!isOver && lateFor() >= 0) stream.destroy(noAnswer(client))
  }
  const look = () => {
    // Sending a long statement counts as activity, too.
    if (client.readyForQuery || stream.writableLength !== unsent) hear()
    unsent = stream.writableLength
    if (isAsking || lateFor() < 0) return
    isAsking = true
    void ask().finally(() => {
      isAsking = false
    })
  }
  stream.on('data', hear)
  const timer = setInterval(look, Math.min(mostTickMs, lateMs() / 4)).unref()
  return () => {
    isOver = true
    clearInterval(timer)
    stream.off('data', hear)
  }
}

/** Whether the session with this process id is active; null if the server cannot tell. */
async function isWorking(
  { askOnce }: AskableServer,
  pid: number,
  stop: AbortSignal | undefined,
): Promise<boolean | null> {
  try {
    const [row] = await askOnce('SELECT state FROM pg_stat_activity WHERE pid = $1', [pid], stop)
    if (row === undefined) return false
    const { state } = row
    return state === null || state === 'disabled' ? null : state === 'active'
  } catch (error) {
    // An error of the server, for example that it has no free connection, shows that it is alive.
    return sqlState(error) === undefined || isLost(error) ? false : null
  }
}

/** The error for a broken connection. Its code differs from errors of the server. */
function noAnswer({ processID }: Watched): Error {
  const message = `the server sent no answer and is not working on one (process ${processID})`
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}

/** Time limit for closing an unused connection, in milliseconds. */
export const goodbyeMs = 1_000

/** Closes a connection. If the server is gone, a graceful close would take many minutes, so this destroys the socket after a second. */
export async function endClient(client: Client, end: () => Promise<void> | void = () => client.end()): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), goodbyeMs)
  client.once('end', () => clearTimeout(timer))
  await end()
}
