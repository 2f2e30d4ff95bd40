/** How the same fact is named in every table, for `schemas/README.md`. */
export const nameRules: Readonly<Record<string, string>> = {
  'position of a row':
    '`height`, `tx_id`, `tx_index`, `tx_count` on the P- and X-Chain; `block_number`, `transaction_hash`, `transaction_index`, `transaction_count` on EVM chains',
  token: '`token_address`, `token_id`, and `standard`: `erc20`, `erc721` or `erc1155`',
  asset:
    '`asset_id`, `asset_name`, `asset_symbol`, `asset_denomination`, `asset_type`; a row or struct of the asset itself has `name`, `symbol` and so on',
  amount:
    '`amount` and `balance` are numbers in the least unit of the asset; where more than 38 digits are possible they are null then, and `amount_raw` and `balance_raw` have all digits as text',
  'amount in whole AVAX or tokens, in views': '`…_avax` and `…_in_tokens`, exact, such as `amount_avax`',
  'number of things': '`…_count`, such as `log_count`',
  'length in bytes': '`byte_length`',
  index: '`…_index` is numbered by the source; `position` is numbered by chainlake, from 0',
  price:
    '`price` of one whole token or asset in `price_currency`; `balance_value` is the value of a balance in `balance_value_currency`; `currency` is the currency that the job requested',
  time: '`…_time` is a time of the chain, such as `block_time`; `…_at` is when a node or chainlake did something, such as `accepted_at` and `observed_at`',
  'wrapper of a block': '`container_id`, `wrapper_parent_id`, `wrapper_time`, `wrapper_p_height`, `proposer_node_id`',
  'bytes or JSON as a service returns them': '`…_base64`, `…_json`',
}

const twoLengths = ['DECIMAL(20,0)', 'DECIMAL(38,0)']

/** Names that have two types, and why; every other name has one type in all tables, structs and views. */
export const namesOfTwoTypes: Readonly<Record<string, { readonly types: readonly string[]; readonly reason: string }>> =
  {
    amount: {
      types: twoLengths,
      reason:
        'An output and a withdrawal have 64 bits; a token transfer of the EVM and a sum of outputs can have more.',
    },
    balance: {
      types: twoLengths,
      reason: 'A balance of the P-Chain has 64 bits; one of the EVM can have more.',
    },
    gas_used: {
      types: ['BIGINT', 'DECIMAL(20,0)'],
      reason: 'The gas of blocks and receipts has at most 63 bits; a node can trace calls with more.',
    },
    decimals: {
      types: ['BIGINT', 'DECIMAL(38,0)'],
      reason: 'A service lists the decimals of the token of a chain; a contract can return any number of 256 bits.',
    },
    initial_supply: {
      types: twoLengths,
      reason: 'The supply in a TransformSubnetTx has 64 bits; that of an X-Chain asset is a sum of outputs.',
    },
    metric_value: {
      types: ['DECIMAL(38,0)', 'DOUBLE'],
      reason: 'A sum of weights is exact; the service rounds the metrics of chains.',
    },
    signed_chain_id: {
      types: twoLengths,
      reason: 'The C-Chain has a chain id of 64 bits; an EVM chain read by RPC can have a longer one.',
    },
    status: {
      types: ['BIGINT', 'VARCHAR'],
      reason: 'A receipt states 1 or 0; a call without a transaction has no receipt, and ends in one of four ways.',
    },
    v: {
      types: twoLengths,
      reason: 'It contains the chain id of the signature: 64 bits on the C-Chain, more on an EVM chain read by RPC.',
    },
  }
