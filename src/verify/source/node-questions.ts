import { HttpError, RpcError } from '../../errors.ts'
import { countText } from '../../lib/text/count-text.ts'
import type { Remark } from '../lake/finding.ts'

/** The outcome of a request: an answer, a refusal in the words of the node, or null if the node does not have the method. */
export type Outcome<T> = { readonly answer: T } | { readonly refusal: string } | null

/** Requests to a node that may not have every method. */
export type NodeQuestions = {
  readonly ask: <T>(method: string, question: () => Promise<T>) => Promise<Outcome<T>>
  /** How many requests of each method were answered, and which methods the node does not have. */
  readonly remarks: () => Remark[]
}

export function nodeQuestions(): NodeQuestions {
  const answered = new Map<string, number>()
  const missing = new Map<string, string>()
  return {
    async ask(method, question) {
      if (missing.has(method)) return null
      try {
        const answer = await question()
        answered.set(method, (answered.get(method) ?? 0) + 1)
        return { answer }
      } catch (error) {
        if (isMissingMethod(error)) {
          missing.set(method, (error as Error).message)
          return null
        }
        const refusal = refusalOf(error)
        if (refusal === null) throw error
        answered.set(method, (answered.get(method) ?? 0) + 1)
        return { refusal }
      }
    },
    remarks: () => {
      const counts = [...answered].map(([method, count]) => `${method} (${countText(count)})`)
      return [
        ...(counts.length === 0 ? [] : [{ message: `Requests to the node: ${counts.join(', ')}.` }]),
        ...[...missing].map(([method, why]) => ({ message: `Skipped: the node does not have ${method}. ${why}` })),
      ]
    },
  }
}

/** Whether the path or the method does not exist, because the index or the API is disabled. */
function isMissingMethod(error: unknown): boolean {
  if (error instanceof HttpError) return [403, 404, 405, 501].includes(error.status)
  const refused = rpcErrorOf(error)
  return (
    refused !== null &&
    ([403, 404, 405, 501].includes(refused.status) ||
      refused.rpcCode === -32601 ||
      /can't find (service|method)|request ill-formed/.test(refused.answer))
  )
}

/** The answer of the node in an error, or in the cause of an error after retries; null for other errors. */
function refusalOf(error: unknown): string | null {
  return rpcErrorOf(error)?.answer ?? null
}

function rpcErrorOf(error: unknown): RpcError | null {
  if (error instanceof RpcError) return error
  return error instanceof Error && error.cause instanceof RpcError ? error.cause : null
}
