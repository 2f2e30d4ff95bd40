import type { FxOrder } from '../../../codec/x/fxs.ts'
import { ConfigError } from '../../errors.ts'
import { readChainFxs } from '../../sources/chain-fxs.ts'
import { hasOwnTypes } from '../lake/lake-fxs.ts'
import type { NodeQuestions } from './node-questions.ts'
import type { SourceOptions } from './node-sample.ts'

type Known = FxOrder | null | 'unknown'

/** The answers of the same verification, by chain. */
const answers = new WeakMap<NodeQuestions, Map<string, Promise<Known>>>()

/** Feature extensions of another chain of the asset VM, from its CreateChainTx at the node (requested once); null for P, X and C. */
export function fxsOfNode(
  chain: string,
  options: Pick<SourceOptions, 'connection' | 'stop'>,
  questions: NodeQuestions,
): Promise<Known> {
  const known = answers.get(questions) ?? new Map<string, Promise<Known>>()
  answers.set(questions, known)
  const fxs = known.get(chain) ?? askNode(chain, options, questions)
  known.set(chain, fxs)
  return fxs
}

async function askNode(
  chain: string,
  { connection, stop }: Pick<SourceOptions, 'connection' | 'stop'>,
  questions: NodeQuestions,
): Promise<Known> {
  if (!hasOwnTypes(chain)) return null
  const ask = () => readChainFxs(connection, chain, stop).catch(unknownChain)
  const said = await questions.ask('platform.getTx of P', ask)
  return said !== null && 'answer' in said ? said.answer : 'unknown'
}

function unknownChain(error: unknown): 'unknown' {
  if (error instanceof ConfigError) return 'unknown'
  throw error
}
