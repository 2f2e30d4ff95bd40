import type { FaultKind } from '../faults/kinds.ts'
import type { Answer } from './answer.ts'

/** The answer as a fault of its content leaves it; the same answer when the fault is of another sort. */
export function garble(kind: FaultKind, answer: Answer): Answer {
  if (kind === 'truncated') return { ...answer, body: [halfOf(answer)] }
  if (kind === 'wrong-checksum') return rewrite(answer, wrongChecksum)
  if (kind === 'wrong-id') return rewrite(answer, wrongId)
  return answer
}

/** The body of an answer as one buffer. */
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

/** Flips the last digit of the last container's hex. */
function wrongChecksum(text: string): string {
  return text.replace(
    /([0-9a-f])("(?:,"timestamp":"[^"]*")?,"encoding":"hex")(?![\s\S]*"encoding")/,
    (_, digit, rest) => {
      return `${digit === '0' ? '1' : '0'}${rest}`
    },
  )
}

const otherId = '2QouvFWUbjuySRxeX5xMbNCuAaKWfbk5FeEa2JmoF85RKLk2dD'

/** Gives the last container a well-formed id that its bytes do not have. */
function wrongId(text: string): string {
  const at = text.lastIndexOf('{"id":"')
  if (at < 0) return text
  return text.slice(0, at) + text.slice(at).replace(/^\{"id":"[^"]*"/, `{"id":"${otherId}"`)
}
