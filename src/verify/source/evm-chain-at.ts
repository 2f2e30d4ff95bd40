import type { NodeQuestions } from './node-questions.ts'
import type { SampleOptions } from './node-sample.ts'

/** How to reach the JSON-RPC of an EVM chain. */
export type EvmChainAt = {
  readonly options: SampleOptions
  readonly questions: NodeQuestions
  /** Below the base URL of the connection. */
  readonly path: string
}
