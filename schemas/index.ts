import type { Table } from '../src/define/index.ts'
import { cAtomicInputs } from './c-atomic-inputs.ts'
import { cAtomicOutputs } from './c-atomic-outputs.ts'
import { cAtomicTransactions } from './c-atomic-transactions.ts'
import { cBlocks } from './c-blocks.ts'
import { cSenders } from './c-senders.ts'
import { cTransactions } from './c-transactions.ts'
import { chains } from './chains.ts'
import { containers } from './containers.ts'
import { pBlocks } from './p-blocks.ts'
import { pInputs } from './p-inputs.ts'
import { pOutputs } from './p-outputs.ts'
import { pTransactions } from './p-transactions.ts'
import { pValidations } from './p-validations.ts'
import { xAssets } from './x-assets.ts'
import { xBlocks } from './x-blocks.ts'
import { xInputs } from './x-inputs.ts'
import { xOperations } from './x-operations.ts'
import { xOutputs } from './x-outputs.ts'
import { xTransactions } from './x-transactions.ts'
import { xVertices } from './x-vertices.ts'

/** Every table of the lake, in the order in which documentation lists them. */
export const tables: readonly Table[] = [
  chains,
  containers,
  pBlocks,
  pTransactions,
  pInputs,
  pOutputs,
  pValidations,
  xBlocks,
  xTransactions,
  xInputs,
  xOutputs,
  xAssets,
  xOperations,
  xVertices,
  cBlocks,
  cTransactions,
  cSenders,
  cAtomicTransactions,
  cAtomicInputs,
  cAtomicOutputs,
]
