import type { FaultKind } from '../faults/kinds.ts'
import type { Answer } from './answer.ts'

/** Applies a content fault to the response. Returns the same response for other faults. */
export function garble(kind: FaultKind, answer: Answer): Answer {
  if (kind === 'truncated') return { ...answer, body: [halfOf(answer)] }
  if (kind === 'wrong-checksum') return rewrite(answer, wrongChecksum)
  if (kind === 'wrong-id') return rewrite(answer, wrongId)
  return answer
}

/** The body of a response as one buffer. */
export function bodyOf(answer: Answer): Buffer {
  return Buffer.concat(answer.body.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}

function halfOf(answer: Answer): Buffer {
  const body = bodyOf(answer)
  return body.subarray(0, Math.floor(body.length / 2))
}

function rewrite(answer: Answer, change: (text: string) => string): Answer {
  return { ...answer, body: [change(bodyOf(answer).toString('utf8'))] }
}

/** Changes the last hex digit of the last container. */
function wrongChecksum(text: string): string {
  return text.replace(
    /([0-9a-f])("(?:,"timestamp":"[^"]*")?,"encoding":"hex")(?![\s\S]*"encoding")/,
    (_, digit, rest) => {
      return `${digit === '0' ? '1' : '0'}${rest}`
    },
  )
}

const otherId = '2QouvFWUbjuySRxeX5xMbNCuAaKWfbk5FeEa2JmoF85RKLk2dD'

/** Replaces the id of the last container with a well-formed id that does not match the bytes. */
function wrongId(text: string): string {
  const at = text.lastIndexOf('{"id":"')
  if (at < 0) return text
  return text.slice(0, at) + text.slice(at).replace(/^\{"id":"[^"]*"/, `{"id":"${otherId}"`)
}
