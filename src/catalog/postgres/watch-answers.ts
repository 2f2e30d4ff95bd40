import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientBase } from 'pg'
import type { Row } from '../session/session.ts'
import { lateAfter, type Patience } from './deadline.ts'
import { isLost, sqlState } from './failure.ts'

/** A server that can be asked about its connections over another one. */
export type AskableServer = Patience & {
  /** Asks once over a connection of its own, with a deadline: for what has to be known of other connections. `stop` makes it hurry. */
  readonly askOnce: (sql: string, parameters: readonly unknown[], stop?: AbortSignal) => Promise<Row[]>
}

type Watched = Client & { readonly processID: number; readonly readyForQuery: boolean }

/** How often a connection is looked at. */
const mostTickMs = 500
/** A server that answers and cannot say what a backend does is believed for so many times the usual patience. */
const doubts = 6

/**
 * Destroys a connection that stays open and passes nothing, as a proxy or a cut network leaves it: nothing else would end a statement that waits
 * for its answer there. A statement may take long, such as one that waits for a lock, so a late answer alone proves nothing: the server is asked
 * over another connection whether it still works on one. `stop` makes it hurry. Returns what ends the watch.
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
    // The answer may have been on its way.
    await wait(Math.min(500, lateMs() / 4))
    if (!isOver && lateFor() >= 0) stream.destroy(noAnswer(client))
  }
  const look = () => {
    // Who still sends a long statement is heard of, too.
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

/** Whether the backend with this process number is working; null: the server cannot say. */
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
    // Such as of a server that has no connection left: it answers, and knows.
    return sqlState(error) === undefined || isLost(error) ? false : null
  }
}

/** Tells a connection that works no more from an error of the server. */
function noAnswer({ processID }: Watched): Error {
  const message = `no answer came, and the server is not working on one (process ${processID})`
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}

/** So long a server may take to end a connection that is no longer used. */
export const goodbyeMs = 1_000

/** Ends a connection, also one whose other side is gone: that would keep this process, and who waits for the end, for many minutes. */
export async function endClient(client: Client, end: () => Promise<void> | void = () => client.end()): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), goodbyeMs)
  client.once('end', () => clearTimeout(timer))
  await end()
}
