import { pContainerHeight, pContainerParent } from '../codec/p.ts'
import { pBlocks, pCredentials, pInputs, pOutputs, pTransactions, pValidations } from '../schemas/p-chain.ts'
import { decodePContainer } from '../src/decode/p/rows.ts'
import { credentialTables, indexPipeline } from './shared/index-pipeline.ts'

export const pBlocksPipeline = indexPipeline({
  name: 'p-blocks',
  comment: 'Accepted P-Chain blocks, decoded, from the containers of the index P/block or by height.',
  chain: 'P',
  index: 'block',
  parentOf: pContainerParent,
  heightOf: pContainerHeight,
  linkOf: ({ blocks: [block] }) => ({ id: block!.block_id, parentId: block!.parent_id }),
  timeOf: ({ blocks: [block] }) => block!.block_time,
  tables: {
    blocks: pBlocks,
    transactions: pTransactions,
    inputs: pInputs,
    outputs: pOutputs,
    validations: pValidations,
  },
  decode: decodePContainer,
  byHeight: {
    namespace: 'platform',
    notice:
      'Blocks of between Apricot 4 and Banff have their time in a wrapper only, which the RPC does not give: their block_time will be null; the view p_block_times carries the last known one forward.',
  },
  more: credentialTables(
    { credentials: pCredentials },
    async () => (await import('../src/decode/credentials.ts')).createPCredentialReader,
  ),
})
