// npm run ids writes this file from the files of its folder. You may change the order of the list.
import type { Pipeline } from '../src/define/index.ts'
import { addressBalancesPipeline } from './address-balances.ts'
import { assetsPipeline } from './assets.ts'
import { balancesPipeline } from './balances.ts'
import { blockchainsPipeline } from './blockchains.ts'
import { blocksByIdPipeline } from './blocks-by-id.ts'
import { cBlocksPipeline } from './c-blocks.ts'
import { chainMetricsPipeline } from './chain-metrics.ts'
import { evmBalancesPipeline } from './evm-balances.ts'
import { evmBlocksPipeline } from './evm-blocks.ts'
import { evmCallsPipeline } from './evm-calls.ts'
import { evmCodesPipeline } from './evm-codes.ts'
import { evmEventsPipeline } from './evm-events.ts'
import { evmLogsPipeline } from './evm-logs.ts'
import { evmNoncesPipeline } from './evm-nonces.ts'
import { evmProofsPipeline } from './evm-proofs.ts'
import { evmStatePipeline } from './evm-state.ts'
import { evmStateDiffsPipeline } from './evm-state-diffs.ts'
import { evmStoragePipeline } from './evm-storage.ts'
import { evmTokensPipeline } from './evm-tokens.ts'
import { evmTracesPipeline } from './evm-traces.ts'
import { healthPipeline } from './health.ts'
import { holdersPipeline } from './holders.ts'
import { nodeBlocksPipeline } from './node-blocks.ts'
import { pBlocksPipeline } from './p-blocks.ts'
import { restChainsPipeline } from './rest-chains.ts'
import { restEvmBlocksPipeline } from './rest-evm-blocks.ts'
import { restIcmMessagesPipeline } from './rest-icm-messages.ts'
import { restTransactionsPipeline } from './rest-transactions.ts'
import { restUtxosPipeline } from './rest-utxos.ts'
import { restValidatorsPipeline } from './rest-validators.ts'
import { rewardsPipeline } from './rewards.ts'
import { rewardsUtxosPipeline } from './rewards-utxos.ts'
import { signaturesPipeline } from './signatures.ts'
import { supplyPipeline } from './supply.ts'
import { tokenTransfersPipeline } from './token-transfers.ts'
import { tpsPipeline } from './tps.ts'
import { transactionsByIdPipeline } from './transactions-by-id.ts'
import { txpoolPipeline } from './txpool.ts'
import { utxoSetPipeline } from './utxo-set.ts'
import { validatorsPipeline } from './validators.ts'
import { verticesPipeline } from './vertices.ts'
import { vmConfigPipeline } from './vm-config.ts'
import { walletTransfersPipeline } from './wallet-transfers.ts'
import { xBlocksPipeline } from './x-blocks.ts'
import { xTransactionsPipeline } from './x-transactions.ts'
import { xVerticesPipeline } from './x-vertices.ts'

/** Every pipeline, in the order of the documentation. */
export const pipelines: readonly Pipeline[] = [
  pBlocksPipeline,
  xBlocksPipeline,
  xTransactionsPipeline,
  xVerticesPipeline,
  cBlocksPipeline,
  evmBlocksPipeline,
  evmLogsPipeline,
  validatorsPipeline,
  blockchainsPipeline,
  supplyPipeline,
  vmConfigPipeline,
  healthPipeline,
  evmStatePipeline,
  assetsPipeline,
  transactionsByIdPipeline,
  blocksByIdPipeline,
  evmProofsPipeline,
  evmEventsPipeline,
  evmTracesPipeline,
  evmBalancesPipeline,
  evmCallsPipeline,
  evmCodesPipeline,
  evmNoncesPipeline,
  evmStoragePipeline,
  evmTokensPipeline,
  evmStateDiffsPipeline,
  rewardsUtxosPipeline,
  utxoSetPipeline,
  addressBalancesPipeline,
  restChainsPipeline,
  restTransactionsPipeline,
  restUtxosPipeline,
  walletTransfersPipeline,
  tokenTransfersPipeline,
  balancesPipeline,
  rewardsPipeline,
  verticesPipeline,
  restEvmBlocksPipeline,
  restValidatorsPipeline,
  restIcmMessagesPipeline,
  nodeBlocksPipeline,
  holdersPipeline,
  tpsPipeline,
  signaturesPipeline,
  chainMetricsPipeline,
  txpoolPipeline,
]
