import { cContainerHeight, cContainerParent } from '../codec/c/container.ts'
import { cAtomicInputs } from '../schemas/c-atomic-inputs.ts'
import { cAtomicOutputs } from '../schemas/c-atomic-outputs.ts'
import { cAtomicTransactions } from '../schemas/c-atomic-transactions.ts'
import { cBlocks } from '../schemas/c-blocks.ts'
import { cCredentials } from '../schemas/c-credentials.ts'
import { cSenders } from '../schemas/c-senders.ts'
import { cTransactions } from '../schemas/c-transactions.ts'
import { decodeCContainer } from '../src/decode/c/container.ts'
import { credentialTables } from './shared/credential-tables.ts'
import { indexPipeline } from './shared/index-pipeline.ts'

export const cBlocksPipeline = indexPipeline({
  name: 'c-blocks',
  comment: 'Accepted C-Chain containers of the index C/block, decoded.',
  path: 'C/block',
  parentOf: cContainerParent,
  heightOf: cContainerHeight,
  linkOf: ({ blocks: [block] }) => ({ id: block!.block_hash, parentId: block!.parent_hash }),
  timeOf: ({ blocks: [block] }) => block!.block_time,
  tables: {
    blocks: cBlocks,
    transactions: cTransactions,
    atomicTransactions: cAtomicTransactions,
    atomicInputs: cAtomicInputs,
    atomicOutputs: cAtomicOutputs,
  },
  decode: decodeCContainer,
  more: {
    senders: {
      comment: 'Also write the senders of EVM transactions, recovered from their signatures, to the table c_senders.',
      tables: { senders: cSenders },
      loadDecode: async () => (await import('../src/decode/c/senders.ts')).decodeCSenders,
    },
    ...credentialTables(
      { credentials: cCredentials },
      async () => (await import('../src/decode/c/credentials.ts')).decodeCCredentials,
      async () => (await import('../src/decode/signers/signers.ts')).decodeCSigners,
    ),
  },
})
