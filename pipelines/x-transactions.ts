import { xAssets, xCredentials, xInputs, xOperations, xOutputs, xTransactions } from '../schemas/x-chain.ts'
import { decodeXTransaction } from '../src/decode/x/rows.ts'
import { credentialTables, indexPipeline } from './shared/index-pipeline.ts'

export const xTransactionsPipeline = indexPipeline({
  name: 'x-transactions',
  comment: 'X-Chain transactions from before Cortina, from the frozen index X/tx, decoded.',
  chain: 'X',
  index: 'tx',
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
    async () => (await import('../src/decode/credentials.ts')).createXTransactionCredentialReader,
  ),
})
