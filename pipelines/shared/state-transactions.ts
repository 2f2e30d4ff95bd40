import type { StateTransaction, StateTransactions } from '../../src/decode/node/state-outputs.ts'
import { type NetworkIdentity, p } from '../../src/define/index.ts'
import { primaryId } from '../../src/sources/known-networks.ts'
import { idPattern } from './service-parameters.ts'

/** A network with a P-Chain that the lake covers without a gap from its first block. UTXOs that are missing there belong to the genesis. */
const whole = 'SELECT network FROM p_blocks GROUP BY network HAVING min(height) = 1 AND max(height) = count(*)'

/** `<network>/<origin>/<transaction>/<first index>[/<staking transaction>]` */
const known = [
  `SELECT concat_ws('/', network, 'refund', tx_id, output_count) AS item FROM p_transactions
   WHERE tx_type IN ('DisableL1ValidatorTx', 'SetL1ValidatorWeightTx')`,
  `SELECT concat_ws('/', reward.network, 'reward', staking.tx_id, staking.output_count, staking.tx_id)
   FROM p_rewards AS reward
   JOIN p_transactions AS staking ON staking.network = reward.network AND staking.tx_id = reward.staked_tx_id
   WHERE reward.stake_ended`,
  `SELECT concat_ws('/', network, 'reward', tx_id, 0, staked_tx_id) FROM p_rewards
   WHERE tx_type = 'RewardAutoRenewedValidatorTx' AND outcome IS NOT NULL`,
  `SELECT concat_ws('/', reward.network, 'genesis', reward.staked_tx_id, 0)
   FROM p_rewards AS reward
   SEMI JOIN (${whole}) AS whole ON whole.network = reward.network
   ANTI JOIN p_transactions AS staking ON staking.network = reward.network AND staking.tx_id = reward.staked_tx_id`,
].join(' UNION ')

export const stateTransactions = p.list(
  'Transactions that made UTXOs which no container holds, as network/origin/transaction/first index (default: all in the lake). It changes no row of node_utxos.',
  {
    pattern: {
      source: `^[a-z0-9-]+/(reward|refund|genesis)/${idPattern}/[0-9]+(/${idPattern})?$`,
      says: 'must be network/origin/transaction/first index',
    },
    query: `SELECT item FROM (${known}) ORDER BY item`,
  },
)

const genesis = { origin: 'genesis', firstIndex: 0, stakedTxId: null } as const

/** Transactions of the network. Balances of the P-Chain genesis have no transaction; the X-Chain genesis created the native asset. */
export function stateTransactionsOf(
  items: readonly string[] | undefined,
  { network, nativeAssetId }: NetworkIdentity,
): StateTransactions {
  const found = new Map<string, StateTransaction>([[primaryId, genesis]])
  if (nativeAssetId !== null) found.set(nativeAssetId, genesis)
  for (const item of items ?? []) {
    const [of, origin, txId, firstIndex, stakedTxId = null] = item.split('/')
    if (of !== network || txId === undefined) continue
    found.set(txId, { origin: origin as StateTransaction['origin'], firstIndex: Number(firstIndex), stakedTxId })
  }
  return found
}
