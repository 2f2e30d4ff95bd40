import type { Table } from '../src/define/index.ts'
import { chains } from './chains.ts'
import { containers } from './containers.ts'
import { pBlocks } from './p-blocks.ts'
import { pInputs } from './p-inputs.ts'
import { pOutputs } from './p-outputs.ts'
import { pTransactions } from './p-transactions.ts'
import { pValidations } from './p-validations.ts'

/** Every table of the lake, in the order in which documentation lists them. */
export const tables: readonly Table[] = [chains, containers, pBlocks, pTransactions, pInputs, pOutputs, pValidations]
