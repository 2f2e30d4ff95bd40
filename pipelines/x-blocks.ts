import { xContainerHeight, xContainerParent } from '../codec/x.ts'
import { xAssets, xBlocks, xCredentials, xInputs, xOperations, xOutputs, xTransactions } from '../schemas/x-chain.ts'
import { decodeXContainer } from '../src/decode/x/rows.ts'
import { credentialTables, indexPipeline } from './shared/index-pipeline.ts'

export const xBlocksPipeline = indexPipeline({
  name: 'x-blocks',
  comment:
    'Accepted X-Chain blocks (since Cortina), decoded: the containers of the index X/block, or each by its height.',
  chain: 'X',
  index: 'block',
  instances: true,
  precededBy: 'tx',
  parentOf: xContainerParent,
  heightOf: xContainerHeight,
  linkOf: ({ blocks: [block] }) => ({ id: block!.block_id, parentId: block!.parent_id }),
  timeOf: ({ blocks: [block] }) => block!.block_time,
  tables: {
    blocks: xBlocks,
    transactions: xTransactions,
    inputs: xInputs,
    outputs: xOutputs,
    assets: xAssets,
    operations: xOperations,
  },
  decode: decodeXContainer,
  byHeight: {
    namespace: 'xvm',
    notice: null,
  },
  more: credentialTables(
    { credentials: xCredentials },
    async () => (await import('../src/decode/credentials.ts')).createXCredentialReader,
  ),
})
