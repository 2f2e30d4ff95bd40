// npm run ids writes this file from the files of pipelines/ and from pipelines/lists.yaml. You may change the order.
import type { Pipeline } from '../../src/define/index.ts'

/**
 * Loads one of the pipelines in code: a run loads those that its jobs name, and not the decoders of the others. In the order of the
 * documentation.
 */
export const pipelineFiles: { readonly [name: string]: () => Promise<Pipeline> } = {
  'p-blocks': async () => (await import('../p-blocks.ts')).pBlocksPipeline,
  'p-fees': async () => (await import('../p-fees.ts')).pFeesPipeline,
  'x-blocks': async () => (await import('../x-blocks.ts')).xBlocksPipeline,
  'x-transactions': async () => (await import('../x-transactions.ts')).xTransactionsPipeline,
  'x-vertices': async () => (await import('../x-vertices.ts')).xVerticesPipeline,
  'c-blocks': async () => (await import('../c-blocks.ts')).cBlocksPipeline,
  'evm-blocks': async () => (await import('../evm-blocks.ts')).evmBlocksPipeline,
  'evm-logs': async () => (await import('../evm-logs.ts')).evmLogsPipeline,
  validators: async () => (await import('../validators.ts')).validatorsPipeline,
  'validators-at': async () => (await import('../validators-at.ts')).validatorsAtPipeline,
  blockchains: async () => (await import('../blockchains.ts')).blockchainsPipeline,
  supply: async () => (await import('../supply.ts')).supplyPipeline,
  'vm-config': async () => (await import('../vm-config.ts')).vmConfigPipeline,
  health: async () => (await import('../health.ts')).healthPipeline,
  'evm-state': async () => (await import('../evm-state.ts')).evmStatePipeline,
  assets: async () => (await import('../assets.ts')).assetsPipeline,
  'transactions-by-id': async () => (await import('../transactions-by-id.ts')).transactionsByIdPipeline,
  'blocks-by-id': async () => (await import('../blocks-by-id.ts')).blocksByIdPipeline,
  'evm-proofs': async () => (await import('../evm-proofs.ts')).evmProofsPipeline,
  'evm-events': async () => (await import('../evm-events.ts')).evmEventsPipeline,
  'evm-traces': async () => (await import('../evm-traces.ts')).evmTracesPipeline,
  'evm-balances': async () => (await import('../evm-balances.ts')).evmBalancesPipeline,
  'evm-calls': async () => (await import('../evm-calls.ts')).evmCallsPipeline,
  'evm-codes': async () => (await import('../evm-codes.ts')).evmCodesPipeline,
  'evm-nonces': async () => (await import('../evm-nonces.ts')).evmNoncesPipeline,
  'evm-storage': async () => (await import('../evm-storage.ts')).evmStoragePipeline,
  'evm-tokens': async () => (await import('../evm-tokens.ts')).evmTokensPipeline,
  'evm-state-diffs': async () => (await import('../evm-state-diffs.ts')).evmStateDiffsPipeline,
  'rewards-utxos': async () => (await import('../rewards-utxos.ts')).rewardsUtxosPipeline,
  'utxo-set': async () => (await import('../utxo-set.ts')).utxoSetPipeline,
  'address-balances': async () => (await import('../address-balances.ts')).addressBalancesPipeline,
  'rest-chains': async () => (await import('../rest-chains.ts')).restChainsPipeline,
  'rest-transactions': async () => (await import('../rest-transactions.ts')).restTransactionsPipeline,
  'rest-utxos': async () => (await import('../rest-utxos.ts')).restUtxosPipeline,
  'wallet-transfers': async () => (await import('../wallet-transfers.ts')).walletTransfersPipeline,
  'token-transfers': async () => (await import('../token-transfers.ts')).tokenTransfersPipeline,
  balances: async () => (await import('../balances.ts')).balancesPipeline,
  rewards: async () => (await import('../rewards.ts')).rewardsPipeline,
  vertices: async () => (await import('../vertices.ts')).verticesPipeline,
  'rest-evm-blocks': async () => (await import('../rest-evm-blocks.ts')).restEvmBlocksPipeline,
  'rest-validators': async () => (await import('../rest-validators.ts')).restValidatorsPipeline,
  'rest-icm-messages': async () => (await import('../rest-icm-messages.ts')).restIcmMessagesPipeline,
  'node-blocks': async () => (await import('../node-blocks.ts')).nodeBlocksPipeline,
  holders: async () => (await import('../holders.ts')).holdersPipeline,
  tps: async () => (await import('../tps.ts')).tpsPipeline,
  signatures: async () => (await import('../signatures.ts')).signaturesPipeline,
  'chain-metrics': async () => (await import('../chain-metrics.ts')).chainMetricsPipeline,
  txpool: async () => (await import('../txpool.ts')).txpoolPipeline,
  subnets: async () => (await import('../subnets.ts')).subnetsPipeline,
  'pending-rewards': async () => (await import('../pending-rewards.ts')).pendingRewardsPipeline,
}

/** The names of the lists that come with the package, which are known without reading and compiling them. */
export const listNames: readonly string[] = [
  'rest-subnets',
  'rest-blockchains',
  'rest-delegators',
  'rest-l1-validators',
  'network-metrics',
]
