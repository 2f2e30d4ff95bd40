import { HttpError, RpcError } from '../../errors.ts'
import type { Remark } from '../lake/finding.ts'

/** What came of a question: an answer, a refusal in the node's words, or null where the node cannot be asked so. */
export type Outcome<T> = { readonly answer: T } | { readonly refusal: string } | null

/** Questions to a node, of which some may have no method for. */
export type NodeQuestions = {
  readonly ask: <T>(method: string, question: () => Promise<T>) => Promise<Outcome<T>>
  /** How many questions of each method were answered, and which methods the node lacks. */
  readonly remarks: () => Remark[]
}

export function nodeQuestions(): NodeQuestions {
  const answered = new Map<string, number>()
  const lacking = new Map<string, string>()
  return {
    async ask(method, question) {
      if (lacking.has(method)) return null
      try {
        const answer = await question()
        answered.set(method, (answered.get(method) ?? 0) + 1)
        return { answer }
      } catch (error) {
        if (isLacking(error)) {
          lacking.set(method, (error as Error).message)
          return null
        }
        const refusal = refusalOf(error)
        if (refusal === null) throw error
        answered.set(method, (answered.get(method) ?? 0) + 1)
        return { refusal }
      }
    },
    remarks: () => {
      const asked = [...answered].map(([method, count]) => `${method} (${count.toLocaleString('en-US')})`)
      return [
        ...(asked.length === 0 ? [] : [{ message: `Asked the node: ${asked.join(', ')}.` }]),
        ...[...lacking].map(([method, why]) => ({ message: `Skipped: the node has no ${method}. ${why}` })),
      ]
    },
  }
}

/** The path or the method is not there: an index that is off, an API that is not offered. */
function isLacking(error: unknown): boolean {
  if (error instanceof HttpError) return [403, 404, 405, 501].includes(error.status)
  return (
    error instanceof RpcError &&
    (error.rpcCode === -32601 || /can't find (service|method)|request ill-formed/.test(error.answer))
  )
}

/** What the node itself said; of a retry that gave up the refusal behind it. */
function refusalOf(error: unknown): string | null {
  if (error instanceof RpcError) return error.answer
  return error instanceof Error && error.cause instanceof RpcError ? error.cause.answer : null
}
