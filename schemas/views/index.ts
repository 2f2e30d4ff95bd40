import { type DerivedView, latestViews } from '../../src/define/index.ts'
import { tables } from '../index.ts'
import { addressActivity } from './address-activity.ts'
import { cDaily } from './c-daily.ts'
import { cTransactionsWithSenders } from './c-transactions-with-senders.ts'
import { coverage } from './coverage.ts'
import { crossChainTransfers } from './cross-chain-transfers.ts'
import { evmContracts } from './evm-contracts.ts'
import { evmContractsCreated } from './evm-contracts-created.ts'
import { evmDaily } from './evm-daily.ts'
import { evmFourByteCounts } from './evm-four-byte-counts.ts'
import { evmGasPrices } from './evm-gas-prices.ts'
import { evmInternalTransfers } from './evm-internal-transfers.ts'
import { evmTokenBalances } from './evm-token-balances.ts'
import { l1Validators } from './l1-validators.ts'
import { pBlockTimes } from './p-block-times.ts'
import { pDaily } from './p-daily.ts'
import { pLedger } from './p-ledger.ts'
import { pOutputAddresses } from './p-output-addresses.ts'
import { pProposals } from './p-proposals.ts'
import { pRewardPayments } from './p-reward-payments.ts'
import { pRewards } from './p-rewards.ts'
import { pStakers } from './p-stakers.ts'
import { pUnspent } from './p-unspent.ts'
import { pUtxoSpans } from './p-utxo-spans.ts'
import { pUtxos } from './p-utxos.ts'
import { xDaily } from './x-daily.ts'
import { xLedger } from './x-ledger.ts'
import { xOutputAddresses } from './x-output-addresses.ts'
import { xUnspent } from './x-unspent.ts'
import { xUtxoSpans } from './x-utxo-spans.ts'
import { xUtxos } from './x-utxos.ts'

/** Every derived view. Each comes after the views that it reads. */
export const derivedViews: readonly DerivedView[] = [
  coverage,
  pProposals,
  pRewards,
  pBlockTimes,
  pOutputAddresses,
  pUnspent,
  pUtxoSpans,
  pUtxos,
  pLedger,
  pDaily,
  xOutputAddresses,
  xUnspent,
  xUtxoSpans,
  xUtxos,
  xLedger,
  xDaily,
  cTransactionsWithSenders,
  cDaily,
  pStakers,
  pRewardPayments,
  crossChainTransfers,
  evmDaily,
  evmGasPrices,
  evmInternalTransfers,
  evmContractsCreated,
  evmFourByteCounts,
  evmContracts,
  evmTokenBalances,
  addressActivity,
  ...latestViews(tables),
  // Reads the last observations.
  l1Validators,
]
