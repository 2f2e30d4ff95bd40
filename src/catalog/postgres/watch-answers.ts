import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientBase } from 'pg'

export type Watch = {
  /** How long an answer may take before the server is asked about it, in milliseconds. */
  readonly lateMs: () => number
  /** Whether the backend with this process number is working; null: the server cannot say. */
  readonly isWorking: (pid: number) => Promise<boolean | null>
}

type Watched = Client & { readonly processID: number; readonly readyForQuery: boolean }

/** How often a connection is looked at. */
const mostTickMs = 500
/** A server that answers and cannot say what a backend does is believed for so many times the usual patience. */
const doubts = 6

/**
 * Destroys a connection that stays open and passes nothing, as a proxy or a cut network leaves it: nothing else would end a statement that waits
 * for its answer there. A statement may take long, such as one that waits for a lock, so a late answer alone proves nothing: the server is asked
 * over another connection whether it still works on one. Returns what ends the watch.
 */
export function watchAnswers(watched: ClientBase, { lateMs, isWorking }: Watch): () => void {
  const client = watched as Watched
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
    const working = await isWorking(client.processID)
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

/** Tells a connection that works no more from an error of the server. */
function noAnswer({ processID }: Watched): Error {
  const message = `no answer came, and the server is not working on one (process ${processID})`
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}

/** So long a server may take to end a connection that is no longer used. */
const goodbyeMs = 1_000

/** Ends a connection, also one whose other side is gone: that would keep this process, and who waits for the end, for many minutes. */
export async function endClient(client: Client, end: () => Promise<void> | void = () => client.end()): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), goodbyeMs)
  client.once('end', () => clearTimeout(timer))
  await end()
}
