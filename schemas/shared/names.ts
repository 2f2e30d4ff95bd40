/** How the same fact is named in every table, for `schemas/README.md`. */
export const nameRules: readonly { readonly fact: string; readonly names: string }[] = [
  {
    fact: 'position of a row',
    names:
      '`height`, `tx_id`, `tx_index`, `tx_count` on the P- and X-Chain; `block_number`, `transaction_hash`, `transaction_index`, `transaction_count` on EVM chains',
  },
  { fact: 'token', names: '`token_address`, `token_id`, and `standard`: `erc20`, `erc721` or `erc1155`' },
  {
    fact: 'asset',
    names:
      '`asset_id`, `asset_name`, `asset_symbol`, `asset_denomination`, `asset_type`; a row or struct of the asset itself has `name`, `symbol` and so on',
  },
  {
    fact: 'amount',
    names:
      '`amount` and `balance` are numbers in the least unit of the asset; where more than 38 digits are possible they are null then, and `amount_raw` and `balance_raw` have all digits as text',
  },
  {
    fact: 'amount in whole AVAX or tokens, in views',
    names: '`…_avax` and `…_in_tokens`, exact, such as `amount_avax`',
  },
  { fact: 'number of things', names: '`…_count`, such as `log_count`' },
  { fact: 'length in bytes', names: '`byte_length`' },
  { fact: 'index', names: '`…_index` is numbered by the source; `position` is numbered by chainlake, from 0' },
  {
    fact: 'price',
    names:
      '`price` of one whole token or asset in `price_currency`; `balance_value` is the value of a balance in `balance_value_currency`; `currency` is the currency that the job requested',
  },
  {
    fact: 'time',
    names:
      '`…_time` is a time of the chain, such as `block_time`; `…_at` is when a node or chainlake did something, such as `accepted_at` and `observed_at`',
  },
  {
    fact: 'wrapper of a block',
    names: '`container_id`, `wrapper_parent_id`, `wrapper_time`, `wrapper_p_height`, `proposer_node_id`',
  },
  { fact: 'bytes or JSON as a service returns them', names: '`…_base64`, `…_json`' },
]

/** Names that have two types, and why; every other name has one type in all tables, structs and views. */
export const namesOfTwoTypes: Readonly<Record<string, { readonly types: readonly string[]; readonly reason: string }>> =
  {
    amount: {
      types: ['DECIMAL(20,0)', 'DECIMAL(38,0)'],
      reason:
        'An output and a withdrawal have 64 bits; a token transfer of the EVM and a sum of outputs can have more.',
    },
    balance: {
      types: ['DECIMAL(20,0)', 'DECIMAL(38,0)'],
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
      types: ['DECIMAL(20,0)', 'DECIMAL(38,0)'],
      reason: 'The supply in a TransformSubnetTx has 64 bits; that of an X-Chain asset is a sum of outputs.',
    },
    metric_value: {
      types: ['DECIMAL(38,0)', 'DOUBLE'],
      reason: 'A sum of weights is exact; the service rounds the metrics of chains.',
    },
    signed_chain_id: {
      types: ['DECIMAL(20,0)', 'DECIMAL(38,0)'],
      reason: 'The C-Chain has a chain id of 64 bits; an EVM chain read by RPC can have a longer one.',
    },
    status: {
      types: ['BIGINT', 'VARCHAR'],
      reason: 'A receipt states 1 or 0; a call without a transaction has no receipt, and ends in one of four ways.',
    },
    v: {
      types: ['DECIMAL(20,0)', 'DECIMAL(38,0)'],
      reason: 'It contains the chain id of the signature: 64 bits on the C-Chain, more on an EVM chain read by RPC.',
    },
  }
