import { cChain } from './c-chain.ts'
import { evm } from './evm.ts'
import { pChain } from './p-chain.ts'
import type { QuestionGroup } from './question.ts'
import { service } from './service.ts'
import { xChain } from './x-chain.ts'

/** The questions about each network of a lake. */
export const chainGroups: readonly QuestionGroup[] = [pChain, xChain, cChain, evm, service]

export { totals } from './totals.ts'
export { efforts, growth, newest, work } from './work.ts'
