-- One row per L1: who created its subnet, its chains, its conversion, and its validators now. Now is the last block of the
-- P-Chain in the lake. A validator that runs out of balance becomes inactive without a transaction: see l1_validators.
--
-- subnet_id: Subnet of the L1.
-- subnet_height: Height of the block that created the subnet; null where the lake does not have it.
-- subnet_time: Time of that block (UTC).
-- creator_addresses: Owners of the UTXOs that the CreateSubnetTx spent, bech32 without chain prefix; null where the lake
--   does not have all of them.
-- blockchain_ids: Ids of the chains that were created in the subnet, in this order.
-- blockchain_names: Names of these chains.
-- conversion_tx_id: ConvertSubnetToL1Tx that made the subnet an L1.
-- conversion_time: Time of its block (UTC).
-- manager_chain_id: Chain of the validator manager.
-- manager_address: Address of the validator manager, 0x….
-- validator_count: Number of validators with a weight that no transaction disabled since their last deposit.
-- total_weight: Sum of their weights, a number without a unit that the L1 chooses.
-- observed_validator_count: Number of validators with a balance at the last observation of a node (pipeline validators);
--   null if none was made.
-- l1_state: active if validator_count is not 0, otherwise inactive.

WITH owned AS (
  SELECT network, tx_id, output_index, addresses
  FROM p_outputs
  UNION ALL
  SELECT network, tx_id, output_index, addresses
  FROM p_state_outputs
),
created AS (
  SELECT
    subnet.network,
    subnet.subnet_id,
    subnet.height,
    subnet.block_time,
    CASE WHEN bool_and(owned.addresses IS NOT NULL) THEN list_sort(list_distinct(flatten(list(owned.addresses)))) END AS creator_addresses
  FROM p_transactions AS subnet
  LEFT JOIN p_inputs AS input USING (network, height, tx_index)
  LEFT JOIN owned
    ON owned.network = input.network AND owned.tx_id = input.source_tx_id AND owned.output_index = input.source_output_index
  WHERE subnet.tx_type = 'CreateSubnetTx'
  GROUP BY ALL
),
chain AS (
  SELECT
    network,
    subnet_id,
    list(tx_id ORDER BY height, tx_index) AS blockchain_ids,
    list(blockchain_name ORDER BY height, tx_index) AS blockchain_names
  FROM p_transactions
  WHERE tx_type = 'CreateChainTx'
  GROUP BY ALL
),
validating AS (
  SELECT
    network,
    subnet_id,
    count(*) AS validator_count,
    sum(weight) AS total_weight
  FROM l1_validators
  WHERE weight > 0 AND end_reason IS NULL
  GROUP BY ALL
),
observed AS (
  SELECT network, subnet_id, count(*) FILTER (balance > 0) AS validator_count
  FROM (
    FROM node_l1_validators_latest
    WHERE subject NOT LIKE '%node-ids=%'
    QUALIFY observed_at = max(observed_at) OVER (PARTITION BY network, subnet_id)
  )
  GROUP BY ALL
)
SELECT
  conversion.network,
  conversion.subnet_id,
  created.height AS subnet_height,
  created.block_time AS subnet_time,
  created.creator_addresses,
  chain.blockchain_ids,
  chain.blockchain_names,
  conversion.tx_id AS conversion_tx_id,
  conversion.block_time AS conversion_time,
  conversion.manager_chain_id,
  conversion.manager_address,
  coalesce(validating.validator_count, 0) AS validator_count,
  CAST(coalesce(validating.total_weight, 0) AS DECIMAL(38,0)) AS total_weight,
  observed.validator_count AS observed_validator_count,
  CASE WHEN validating.validator_count > 0 THEN 'active' ELSE 'inactive' END AS l1_state
FROM (SELECT * FROM p_transactions WHERE tx_type = 'ConvertSubnetToL1Tx') AS conversion
LEFT JOIN created USING (network, subnet_id)
LEFT JOIN chain USING (network, subnet_id)
LEFT JOIN validating USING (network, subnet_id)
LEFT JOIN observed USING (network, subnet_id)
