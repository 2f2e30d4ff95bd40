import { cContainerHeight, cContainerParent } from '../codec/c.ts'
import {
  cAtomicInputs,
  cAtomicOutputs,
  cAtomicTransactions,
  cBlocks,
  cCredentials,
  cSenders,
  cTransactions,
} from '../schemas/c-chain.ts'
import { createSenderReader, decodeCContainer } from '../src/decode/c/rows.ts'
import { credentialTables, indexPipeline, loadCurve } from './shared/index-pipeline.ts'

export const cBlocksPipeline = indexPipeline({
  name: 'c-blocks',
  comment: 'Accepted C-Chain containers of the index C/block, decoded.',
  chain: 'C',
  index: 'block',
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
      loadDecode: async () => createSenderReader(await loadCurve()),
    },
    ...credentialTables(
      { credentials: cCredentials },
      async () => (await import('../src/decode/credentials.ts')).createCCredentialReader,
    ),
  },
})
