-- One row per validation of an L1, with what transactions gave it and the balance that a node showed. No transaction
-- states a balance over time: fees reduce it continuously.
--
-- subnet_id: Subnet of the L1.
-- validation_id: Id of the validation.
-- node_id: Node id, NodeID-…, of any length.
-- tx_id: Transaction that registered the validator.
-- tx_type: RegisterL1ValidatorTx or ConvertSubnetToL1Tx.
-- registered_at: When it was registered (UTC).
-- weight: Weight after the last transaction in the lake, a number without a unit that the L1 chooses; 0: removed.
-- deposited: Sum of the balances that transactions gave to it, in nAVAX.
-- deposited_avax: The same in AVAX, exact.
-- deposit_count: Number of these transactions.
-- disabled_at: When a transaction first disabled or removed it (UTC); null if none did since its last deposit. A
--   validator that runs out of balance is inactive without a transaction.
-- end_reason: disabled or removed, by the last such transaction; null if there is none since the last deposit, which
--   makes a disabled validator active again.
-- refunded: Balance that was paid back, in nAVAX, from p_state_outputs (pipeline utxo-set); null where the lake does
--   not have it.
-- refunded_avax: The same in AVAX, exact.
-- observed_balance: Balance at the last observation, in nAVAX (pipeline validators); null if none was made.
-- observed_balance_avax: The same in AVAX, exact.
-- balance_owner_addresses: Owners of the remaining balance, bech32 without chain prefix.

WITH given AS (
  SELECT network, validation_id, sum(balance) AS deposited, count(*) AS deposit_count
  FROM p_validations
  WHERE validation_id IS NOT NULL AND balance IS NOT NULL
  GROUP BY ALL
),
weighted AS (
  SELECT network, validation_id, arg_max(weight, row(height, tx_index)) AS weight
  FROM p_validations
  WHERE validation_id IS NOT NULL AND action IN ('add', 'set_weight')
  GROUP BY ALL
),
-- A deposit makes a disabled validator active again.
funded AS (
  SELECT network, validation_id, max(row(height, tx_index)) AS last_place
  FROM p_validations
  WHERE action = 'add_balance'
  GROUP BY ALL
),
-- A validator that is disabled or removed gets its remaining balance back. One that was disabled may be removed later.
disabled AS (
  SELECT
    change.network,
    change.validation_id,
    min(time.known_time) FILTER (NOT change.is_undone) AS disabled_at,
    arg_max(change.action, row(change.height, change.tx_index)) FILTER (NOT change.is_undone) AS last_action,
    sum(refund.amount) AS refunded
  FROM (
    SELECT *, funded.last_place IS NOT NULL AND row(height, tx_index) < funded.last_place AS is_undone
    FROM p_validations
    LEFT JOIN funded USING (network, validation_id)
    WHERE validation_id IS NOT NULL AND (action = 'disable' OR (action = 'set_weight' AND weight = 0))
  ) AS change
  LEFT JOIN p_block_times AS time USING (network, height)
  LEFT JOIN p_state_outputs AS refund
    ON refund.network = change.network AND refund.tx_id = change.tx_id AND refund.origin = 'refund'
  GROUP BY ALL
),
observed AS (
  SELECT network, validation_id, arg_max(balance, observed_at) AS balance, max(observed_at) AS observed_at
  FROM node_l1_validators_latest
  GROUP BY ALL
)
SELECT
  added.network,
  added.subnet_id,
  added.validation_id,
  added.node_id,
  added.tx_id,
  added.tx_type,
  time.known_time AS registered_at,
  weighted.weight,
  CAST(given.deposited AS DECIMAL(38,0)) AS deposited,
  CAST(given.deposited * 0.000000001::DECIMAL(9,9) AS DECIMAL(38,9)) AS deposited_avax,
  given.deposit_count,
  disabled.disabled_at,
  CASE disabled.last_action WHEN 'disable' THEN 'disabled' WHEN 'set_weight' THEN 'removed' END AS end_reason,
  CAST(disabled.refunded AS DECIMAL(38,0)) AS refunded,
  CAST(disabled.refunded * 0.000000001::DECIMAL(9,9) AS DECIMAL(38,9)) AS refunded_avax,
  observed.balance AS observed_balance,
  observed.balance * 0.000000001::DECIMAL(9,9) AS observed_balance_avax,
  observed.observed_at,
  added.remaining_balance_owner_addresses AS balance_owner_addresses
FROM (SELECT * FROM p_validations WHERE validation_id IS NOT NULL AND action = 'add') AS added
LEFT JOIN p_block_times AS time USING (network, height)
LEFT JOIN weighted USING (network, validation_id)
LEFT JOIN given USING (network, validation_id)
LEFT JOIN disabled USING (network, validation_id)
LEFT JOIN observed USING (network, validation_id)
