/** The questions that the demo answers with SQL: one for each kind of source. */
export const demoQuestions: readonly { readonly ask: string; readonly sql: string }[] = [
  {
    ask: 'How many P-Chain transactions of each type are there?',
    sql: `select tx_type, count(*) as transactions, sum(burned) / 1e9 as burned_avax
from p_transactions where network = 'local'
group by tx_type order by transactions desc limit 6`,
  },
  {
    ask: 'Which validators of the Primary Network have the most delegated stake?',
    sql: `select node_id, weight / 1e9 as stake, delegator_count as delegators, delegator_weight / 1e9 as delegated
from node_validators_latest where network = 'local'
order by delegated desc nulls last limit 3`,
  },
  {
    ask: 'How many staking rewards were paid, by type, and how much AVAX?',
    sql: `select reward_type, count(*) as rewards, count(distinct node_id) as nodes, sum(amount) / 1e9 as avax
from rest_rewards where network = 'local'
group by reward_type order by rewards desc`,
  },
  {
    ask: 'Which tokens have the most transfers?',
    sql: `select token_symbol, count(*) as transfers, count(distinct to_address) as receivers, max(block_time) as last_one
from rest_erc20_transfers where network = 'local'
group by token_symbol order by transfers desc`,
  },
  {
    ask: 'Which address is the largest holder of each token now?',
    sql: `select token_address, count(*) as holders, max_by(address, balance) as largest_holder
from metrics_token_holders_latest where network = 'local'
group by token_address order by holders desc limit 5`,
  },
  {
    ask: 'How many transactions per second does the C-Chain process, by day?',
    sql: `select point_time, round(metric_value, 4) as tps
from metrics_chain_tps_latest where network = 'local' order by point_time desc limit 3`,
  },
]
