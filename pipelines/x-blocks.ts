import { xContainerHeight, xContainerParent } from '../codec/x/container.ts'
import { xAssets } from '../schemas/x-assets.ts'
import { xBlocks } from '../schemas/x-blocks.ts'
import { xCredentials } from '../schemas/x-credentials.ts'
import { xInputs } from '../schemas/x-inputs.ts'
import { xOperations } from '../schemas/x-operations.ts'
import { xOutputs } from '../schemas/x-outputs.ts'
import { xTransactions } from '../schemas/x-transactions.ts'
import { decodeXBlock, decodeXContainer } from '../src/decode/x/container.ts'
import { credentialTables } from './shared/credential-tables.ts'
import { indexPipeline } from './shared/index-pipeline.ts'

export const xBlocksPipeline = indexPipeline({
  name: 'x-blocks',
  comment:
    'Accepted X-Chain blocks (since Cortina), decoded: the containers of the index X/block, or each by its height.',
  path: 'X/block',
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
    keyOf: ({ blockchainId }) => ({ blockchain_id: blockchainId }),
    decode: decodeXBlock,
    notice: null,
  },
  more: credentialTables(
    { credentials: xCredentials },
    async () => (await import('../src/decode/x/credentials.ts')).decodeXCredentials,
    async () => (await import('../src/decode/signers/signers.ts')).decodeXSigners,
  ),
})
