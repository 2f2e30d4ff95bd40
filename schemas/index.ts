// npm run ids writes this file from the files of its folder. You may change the order of the list.
import type { Table } from '../src/define/index.ts'
import { cAtomicInputs } from './c-atomic-inputs.ts'
import { cAtomicOutputs } from './c-atomic-outputs.ts'
import { cAtomicTransactions } from './c-atomic-transactions.ts'
import { cBlocks } from './c-blocks.ts'
import { cCredentials } from './c-credentials.ts'
import { cSenders } from './c-senders.ts'
import { cTransactions } from './c-transactions.ts'
import { chains } from './chains.ts'
import { containers } from './containers.ts'
import { evmBalanceChanges } from './evm-balance-changes.ts'
import { evmBalances } from './evm-balances.ts'
import { evmBlocks } from './evm-blocks.ts'
import { evmCalls } from './evm-calls.ts'
import { evmCodeChanges } from './evm-code-changes.ts'
import { evmCodes } from './evm-codes.ts'
import { evmEventFailures } from './evm-event-failures.ts'
import { evmLogs } from './evm-logs.ts'
import { evmNonceChanges } from './evm-nonce-changes.ts'
import { evmNonces } from './evm-nonces.ts'
import { evmStateReads } from './evm-state-reads.ts'
import { evmStorage } from './evm-storage.ts'
import { evmStorageChanges } from './evm-storage-changes.ts'
import { evmTokenTransfers } from './evm-token-transfers.ts'
import { evmTokens } from './evm-tokens.ts'
import { evmTraces } from './evm-traces.ts'
import { evmTransactions } from './evm-transactions.ts'
import { metricsChainPoints } from './metrics-chain-points.ts'
import { metricsChainTps } from './metrics-chain-tps.ts'
import { metricsTokenHolders } from './metrics-token-holders.ts'
import { nodeAssets } from './node-assets.ts'
import { nodeBalances } from './node-balances.ts'
import { nodeBlockchains } from './node-blockchains.ts'
import { nodeBlocks } from './node-blocks.ts'
import { nodeDelegators } from './node-delegators.ts'
import { nodeEvmProofs } from './node-evm-proofs.ts'
import { nodeEvmState } from './node-evm-state.ts'
import { nodeFees } from './node-fees.ts'
import { nodeHealth } from './node-health.ts'
import { nodeHealthReports } from './node-health-reports.ts'
import { nodeL1Validators } from './node-l1-validators.ts'
import { nodeRewardUtxos } from './node-reward-utxos.ts'
import { nodeSupply } from './node-supply.ts'
import { nodeTransactions } from './node-transactions.ts'
import { nodeTxpool } from './node-txpool.ts'
import { nodeUtxos } from './node-utxos.ts'
import { nodeValidators } from './node-validators.ts'
import { nodeVmConfig } from './node-vm-config.ts'
import { observations } from './observations.ts'
import { pBlocks } from './p-blocks.ts'
import { pCredentials } from './p-credentials.ts'
import { pInputs } from './p-inputs.ts'
import { pOutputs } from './p-outputs.ts'
import { pStateOutputs } from './p-state-outputs.ts'
import { pTransactions } from './p-transactions.ts'
import { pValidations } from './p-validations.ts'
import { restCAtomicTransactions } from './rest-c-atomic-transactions.ts'
import { restCollectibleBalances } from './rest-collectible-balances.ts'
import { restErc20Balances } from './rest-erc20-balances.ts'
import { restErc20Transfers } from './rest-erc20-transfers.ts'
import { restErc721Balances } from './rest-erc721-balances.ts'
import { restErc721Transfers } from './rest-erc721-transfers.ts'
import { restErc1155Balances } from './rest-erc1155-balances.ts'
import { restErc1155Transfers } from './rest-erc1155-transfers.ts'
import { restEvmBlocks } from './rest-evm-blocks.ts'
import { restEvmChains } from './rest-evm-chains.ts'
import { restIcmMessages } from './rest-icm-messages.ts'
import { restInternalTransactions } from './rest-internal-transactions.ts'
import { restNativeBalances } from './rest-native-balances.ts'
import { restNativeTransactions } from './rest-native-transactions.ts'
import { restNodeBlocks } from './rest-node-blocks.ts'
import { restPTransactions } from './rest-p-transactions.ts'
import { restRewards } from './rest-rewards.ts'
import { restSignedMessages } from './rest-signed-messages.ts'
import { restUtxos } from './rest-utxos.ts'
import { restValidators } from './rest-validators.ts'
import { restXTransactions } from './rest-x-transactions.ts'
import { restXVertices } from './rest-x-vertices.ts'
import { xAssets } from './x-assets.ts'
import { xBlocks } from './x-blocks.ts'
import { xCredentials } from './x-credentials.ts'
import { xInputs } from './x-inputs.ts'
import { xOperations } from './x-operations.ts'
import { xOutputs } from './x-outputs.ts'
import { xStateOutputs } from './x-state-outputs.ts'
import { xTransactions } from './x-transactions.ts'
import { xVertices } from './x-vertices.ts'

/** Every table of the lake, in the order of the documentation. */
export const tables: readonly Table[] = [
  chains,
  containers,
  pBlocks,
  pTransactions,
  pInputs,
  pOutputs,
  pValidations,
  pCredentials,
  pStateOutputs,
  xBlocks,
  xTransactions,
  xInputs,
  xOutputs,
  xAssets,
  xOperations,
  xCredentials,
  xVertices,
  xStateOutputs,
  cBlocks,
  cTransactions,
  cSenders,
  cAtomicTransactions,
  cAtomicInputs,
  cAtomicOutputs,
  cCredentials,
  evmBlocks,
  evmTransactions,
  evmLogs,
  evmTokenTransfers,
  evmEventFailures,
  evmTraces,
  evmBalances,
  evmCalls,
  evmCodes,
  evmNonces,
  evmStorage,
  evmTokens,
  evmBalanceChanges,
  evmCodeChanges,
  evmNonceChanges,
  evmStateReads,
  evmStorageChanges,
  nodeValidators,
  nodeDelegators,
  nodeL1Validators,
  nodeBlockchains,
  nodeSupply,
  nodeFees,
  nodeVmConfig,
  nodeHealthReports,
  nodeHealth,
  nodeEvmState,
  nodeAssets,
  nodeTransactions,
  nodeBlocks,
  nodeEvmProofs,
  restPTransactions,
  restXTransactions,
  restCAtomicTransactions,
  restUtxos,
  restRewards,
  restXVertices,
  restNodeBlocks,
  restEvmChains,
  restEvmBlocks,
  restErc20Transfers,
  restErc721Transfers,
  restErc1155Transfers,
  restNativeBalances,
  restErc721Balances,
  restErc1155Balances,
  restCollectibleBalances,
  restSignedMessages,
  restValidators,
  restErc20Balances,
  restInternalTransactions,
  restNativeTransactions,
  restIcmMessages,
  metricsTokenHolders,
  metricsChainTps,
  metricsChainPoints,
  nodeUtxos,
  nodeRewardUtxos,
  nodeBalances,
  nodeTxpool,
  observations,
]
