import type { IncomingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Answer } from './answer.ts'

/** A node does not compress smaller responses (bytes). */
const leastBytes = 1400

/** The response with a compressed body, if it is large enough and the client accepts the encoding. */
export function compressed(answer: Answer, { 'accept-encoding': accepted = '' }: IncomingHttpHeaders): Answer {
  if (!/\bgzip\b/.test(String(accepted))) return answer
  const body = Buffer.concat(answer.body.map((piece) => Buffer.from(piece)))
  if (body.length < leastBytes) return answer
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }
  return { ...answer, headers, body: [gzipSync(body)] }
}
