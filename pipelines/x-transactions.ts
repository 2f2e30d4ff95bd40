import { xAssets } from '../schemas/x-assets.ts'
import { xCredentials } from '../schemas/x-credentials.ts'
import { xInputs } from '../schemas/x-inputs.ts'
import { xOperations } from '../schemas/x-operations.ts'
import { xOutputs } from '../schemas/x-outputs.ts'
import { xTransactions } from '../schemas/x-transactions.ts'
import { decodeXTransaction } from '../src/decode/x/legacy-transaction.ts'
import { credentialTables } from './shared/credential-tables.ts'
import { indexPipeline } from './shared/index-pipeline.ts'

export const xTransactionsPipeline = indexPipeline({
  name: 'x-transactions',
  comment: 'X-Chain transactions from before Cortina, from the frozen index X/tx, decoded.',
  path: 'X/tx',
  order: 'node',
  instances: true,
  whenEmpty: 'This network started after Cortina: all its X-Chain transactions are in X/block.',
  parentOf: () => null,
  linkOf: null,
  tables: {
    transactions: xTransactions,
    inputs: xInputs,
    outputs: xOutputs,
    assets: xAssets,
    operations: xOperations,
  },
  decode: decodeXTransaction,
  more: credentialTables(
    { credentials: xCredentials },
    async () => (await import('../src/decode/x/credentials.ts')).decodeXTransactionCredentials,
    async () => (await import('../src/decode/signers/signers.ts')).decodeXTransactionSigners,
  ),
})
