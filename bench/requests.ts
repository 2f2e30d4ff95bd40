import { Pool } from 'undici'
import { createTransport } from '../src/fetch/transport.ts'
import { programs } from './programs.ts'
import { startServer } from './server-process.ts'

/** Bytes of an answer: an empty page of a list, and a full one. */
const sizes = [650, 30_000]
const connections = 4
const requests = 20_000
/** Requests before the measured ones, so that V8 has compiled the code. */
const warming = 3_000
const rounds = 3

/** CPU of one request in this process, with the transport and with undici alone. The smallest value of all rounds counts. */
export async function requestLines(): Promise<string[]> {
  const lines: string[] = []
  for (const size of sizes) {
    const { url, close } = await startServer(programs.answerServer, [String(size)])
    const transport = createTransport({ baseUrl: url, concurrency: connections })
    const pool = new Pool(url, { connections, pipelining: 1, allowH2: false })
    try {
      const own = await leastMicros(() =>
        transport.request({ method: 'GET', path: '/', parse: ({ body }) => body.length }),
      )
      const alone = await leastMicros(() => dispatch(pool))
      lines.push(`a request with ${size} bytes of answer: ${own} µs of CPU, undici alone ${alone}`)
    } finally {
      await transport.close()
      await pool.destroy()
      close()
    }
  }
  return lines
}

async function leastMicros(request: () => Promise<unknown>): Promise<string> {
  await requestAll(request, warming)
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    await requestAll(request, requests)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / requests)
  }
  return least.toFixed(0)
}

async function requestAll(request: () => Promise<unknown>, count: number): Promise<void> {
  let remaining = count
  const sendRemaining = async () => {
    while (remaining-- > 0) await request()
  }
  await Promise.all(Array.from({ length: connections }, sendRemaining))
}

/** Sends a request with undici alone and ignores the answer. */
function dispatch(pool: Pool): Promise<void> {
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method: 'GET', path: '/' },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: () => resolve(),
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}
