// A server on loopback that forwards HTTP requests to another one and makes some of them fail: always the same request numbers
// for the same seed. It prints its URL, and on SIGTERM the number of each fault.
//
//   node faulty-proxy.mjs TARGET SEED ONE_IN DELAY_MS FAULT,FAULT…
import { Agent, request as ask, createServer } from 'node:http'

const [target, seed, oneIn, delayMs, kinds] = process.argv.slice(2)
const { hostname, port } = new URL(target)
const faults = kinds.split(',')
const agent = new Agent({ keepAlive: true })
const next = numbers(Number(seed))
const counts = { passed: 0 }

/** Pseudo-random numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbers(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function passOn(request, response, fault) {
  const { expect, ...headers } = request.headers
  const upstream = ask({ hostname, port, path: request.url, method: request.method, headers, agent })
  upstream.on('error', () => response.destroy())
  if (fault === 'torn') {
    // Half of the request arrives at the target, and the connection closes on both sides.
    let rest = Math.floor(Number(request.headers['content-length'] ?? 0) / 2)
    request.on('data', (chunk) => {
      upstream.write(chunk.subarray(0, rest))
      rest -= chunk.length
      if (rest > 0) return
      upstream.destroy()
      response.destroy()
    })
    request.on('end', () => upstream.end())
  } else request.pipe(upstream)
  upstream.on('response', (answer) => {
    if (fault === 'unheard') {
      answer.resume()
      response.destroy()
      return
    }
    const length = Number(answer.headers['content-length'] ?? 0)
    response.writeHead(answer.statusCode, answer.headers)
    if (fault === 'half' && length > 1) {
      let rest = Math.floor(length / 2)
      answer.on('data', (chunk) => {
        if (rest > 0) response.write(chunk.subarray(0, rest))
        rest -= chunk.length
      })
      answer.on('end', () => setTimeout(() => response.destroy(), 5))
    } else answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
}

const server = createServer((request, response) => {
  request.on('error', () => response.destroy())
  const fault = next() * Number(oneIn) < 1 ? faults[Math.floor(next() * faults.length)] : 'passed'
  counts[fault] = (counts[fault] ?? 0) + 1
  setTimeout(
    () => {
      if (fault === 'refused') {
        // The body is not read, so the connection cannot be reused.
        response.writeHead(503, { 'content-type': 'application/xml', connection: 'close' })
        response.end(
          '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>',
        )
      } else if (fault === 'lost') response.destroy()
      else passOn(request, response, fault)
    },
    fault === 'slow' ? 3000 : Number(delayMs),
  )
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => {
  console.log(JSON.stringify(counts))
  process.exit()
})
