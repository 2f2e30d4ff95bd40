import { nodeRewardUtxos } from '../schemas/node-state.ts'
import { pStateOutputs } from '../schemas/p-chain.ts'
import { decodeRewardUtxos } from '../src/decode/node/utxos.ts'
import { type Facts, nodeCall, nodeStream, p, pipeline, theNode } from '../src/define/index.ts'
import { idPattern } from './shared/parameters.ts'

const tables = { rewards: nodeRewardUtxos, outputs: pStateOutputs }

/**
 * Staking transactions with a paid reward. A validator without a reward of its own still gets its share of the rewards of its delegators.
 * Rewards of a period of an auto-renewed validator are UTXOs of the transaction that ended it, whether committed or aborted.
 */
const paid = [
  "SELECT concat_ws('/', network, staked_tx_id) || '@' || height AS item FROM p_rewards WHERE outcome = 'committed' AND stake_ended",
  `SELECT concat_ws('/', validator.network, validator.staked_tx_id) || '@' || validator.height
   FROM p_rewards AS validator
   SEMI JOIN p_rewards AS delegator
     ON delegator.network = validator.network
     AND delegator.node_id = validator.node_id
     AND delegator.subnet_id = validator.subnet_id
     AND delegator.outcome = 'committed'
     AND delegator.staking_tx_type IN ('AddDelegatorTx', 'AddPermissionlessDelegatorTx')
     AND delegator.height < validator.height
   WHERE validator.outcome = 'aborted'
     AND validator.staking_tx_type IN ('AddValidatorTx', 'AddPermissionlessValidatorTx')`,
  `SELECT concat_ws('/', network, tx_id, staked_tx_id) || '@' || height FROM p_rewards
   WHERE tx_type = 'RewardAutoRenewedValidatorTx' AND outcome IS NOT NULL`,
].join(' UNION ')

const unanswered = {
  column: 'tx_id',
  reason: 'the node names no reward for these transactions, and may still',
  hint: 'Add the height that decided the reward (<id>@<height>), or wait until the node has reached it; the next run requests them again.',
}

const parameters = {
  'tx-ids': p.list(
    'Staking transactions; of an auto-renewed validator the RewardAutoRenewedValidatorTx of each period, a slash, and the staking transaction; after an @ the height at which the reward was decided, without which it is never final that none was paid. Inline, from a file or a query. Default: all transactions in the lake that paid a reward.',
    {
      pattern: {
        source: `^([a-z][a-z0-9-]*/)?${idPattern}(/${idPattern})?(@\\d{1,15})?$`,
        says: 'must be the id of a transaction',
      },
      query: `SELECT item FROM (${paid}) ORDER BY item`,
    },
  ),
}

export const rewardsUtxosPipeline = pipeline({
  name: 'rewards-utxos',
  comment: 'UTXOs that pay staking rewards, which are in no container. One request per staking transaction.',
  parameters,
  reads: 'node',
  tables,
  walks: ['keyed'],
  streams: async ({ 'tx-ids': items = [] }, facts) => {
    const { network, hrp } = await facts.node()
    const requested = new Map(items.map(transactionOf).map((item) => [item.txId, item]))
    const own = [...requested.values()].filter((item) => item.network === null || item.network === network)
    const height = own.some(({ decidedAt }) => decidedAt !== null) ? await heightOfNode(facts) : 0
    const keys = own.map(({ txId, stakedTxId, decidedAt }) => ({
      key: { tx_id: txId },
      request: nodeCall('/ext/bc/P', 'platform.getRewardUTXOs', { txID: txId, encoding: 'hex' }),
      decode: decodeRewardUtxos({
        network,
        hrp,
        txId,
        stakedTxId,
        isDecided: decidedAt !== null && decidedAt <= height,
      }),
    }))
    return [{ stream: nodeStream(network, 'rewards-utxos', {}), tables, walk: { kind: 'keyed', keys, unanswered } }]
  },
})

/** The P-Chain height of the node. It does not know later decisions yet. */
function heightOfNode(facts: Facts): Promise<number> {
  return facts.ask(theNode, async (connection, signal) => {
    const { readHeightOfNode } = await import('../src/sources/node-index.ts')
    return readHeightOfNode(connection, { chain: 'P', namespace: 'platform' }, signal)
  })
}

/** A lake can hold several networks: the query returns the network of each transaction. */
function transactionOf(item: string) {
  const [names = '', height] = item.split('@')
  const parts = names.split('/')
  const isId = new RegExp(`^${idPattern}$`)
  const network = isId.test(parts[0] ?? '') ? null : (parts.shift() ?? null)
  const [txId = '', stakedTxId = txId] = parts
  return { network, txId, stakedTxId, decidedAt: height === undefined ? null : Number(height) }
}
