-- What each address of the P-Chain received and spent. One row per entry, address and UTXO; each of several owners has
-- a row with the full amount. UTXOs that are missing in the lake (see p_state_outputs), and imports without their
-- export in the lake, are left out.
--
-- address: Address that received or spent the UTXO, bech32 without chain prefix.
-- height: Height from which the entry counts; 0 for the genesis; null where it is missing in the lake.
-- tx_id: Transaction of the entry; for rewards and released stakes the transaction that ended the staking.
-- entry: credit, change (a credit in an asset that the address also spends in the same transaction), debit, reward,
--   credit staking set (staked), debit staking set (released: unspent again), credit atomic (exported) or debit atomic
--   (imported).
-- utxo_id: UTXO that the address received or spent.
-- amount: Change of the unspent balance of the address, in the least unit of the asset (AVAX: nAVAX): negative for a
--   debit, 0 for no change. The sum over all rows up to a height is the unspent balance at that height.
-- amount_avax: The amount in AVAX, exact; null for other assets, and where chains does not name the asset.
-- counted_amount: The same amount, in the least unit of the asset (AVAX: nAVAX), in the row of the first owner of a
--   UTXO, and 0 in those of its other owners: sums over several addresses count each UTXO once.
-- counted_avax: The counted amount in AVAX, exact; null for other assets, and where chains does not name the asset.
-- staking_amount: Change of the staked balance of the address, in the least unit of the asset (AVAX: nAVAX).
-- atomic_amount: Change of the amount in transit between chains, in the least unit of the asset (AVAX: nAVAX): positive
--   on the exporting chain, negative on the importing chain.
-- utxo_amount: Amount of the UTXO in the least unit of the asset (AVAX: nAVAX).
-- address_count: Number of addresses that own the UTXO; each has a row with the full amount.
-- other_chain_id: Destination or source chain of atomic entries; otherwise null.

WITH owned AS (
  SELECT *, amount AS utxo_amount, unnest(addresses) AS address, generate_subscripts(addresses, 1) AS owner_position, len(addresses) AS address_count
  FROM p_utxo_spans
  WHERE height IS NOT NULL OR staked_height IS NOT NULL OR kind = 'state'
),
-- Addresses that spend an asset in a transaction: what they receive back is change.
givers AS (
  SELECT DISTINCT network, spent_tx_id AS tx_id, address, asset_id
  FROM owned
  WHERE spent_tx_id IS NOT NULL
),
-- The effects of a proposal block count from its option block.
proposals AS (
  SELECT proposal.network, proposal.height, proposal.option_height, decision.block_time AS option_time
  FROM p_proposals AS proposal
  LEFT JOIN p_blocks AS decision
    ON decision.network = proposal.network AND decision.height = proposal.option_height
),
sent AS (
  SELECT network, tx_id AS source_tx_id, output_index AS source_output_index, utxo_id, asset_id, amount, addresses, threshold, locktime
  FROM x_outputs
  WHERE kind = 'export'
  UNION ALL
  SELECT network, tx_id, output_index, utxo_id, asset_id, amount, addresses, threshold, locktime
  FROM c_atomic_outputs
  WHERE kind = 'export'
),
atomic AS (
  SELECT *, 'credit atomic' AS entry
  FROM p_outputs
  WHERE kind = 'export'
  UNION ALL BY NAME
  SELECT input.* EXCLUDE (asset_id, amount, stakeable_locktime), sent.* EXCLUDE (network, source_tx_id, source_output_index), 'debit atomic' AS entry
  FROM p_inputs AS input
  JOIN sent USING (network, source_tx_id, source_output_index)
  WHERE input.kind = 'import'
),
booked AS (
  SELECT
    owned.* REPLACE (owned.by_tx_id AS tx_id, owned.amount::DECIMAL(38,0) AS amount),
    CASE
      WHEN owned.origin = 'reward' THEN 'reward'
      WHEN owned.kind = 'stake' THEN 'debit staking set'
      WHEN givers.tx_id IS NOT NULL THEN 'change'
      ELSE 'credit'
    END AS entry,
    (CASE owned.owner_position WHEN 1 THEN owned.amount ELSE 0 END)::DECIMAL(38,0) AS counted_amount,
    CASE WHEN owned.staked_height IS NOT NULL THEN -owned.amount::DECIMAL(38,0) END AS staking_amount
  FROM owned
  LEFT JOIN givers
    ON givers.network = owned.network
    AND givers.tx_id = CASE WHEN owned.kind = 'transfer' THEN owned.tx_id END
    AND givers.address = owned.address
    AND givers.asset_id = owned.asset_id
  WHERE owned.height IS NOT NULL OR owned.kind = 'state'
  UNION ALL BY NAME
  SELECT
    * REPLACE (staked_height AS height, staked_time AS block_time, 0 AS amount),
    'credit staking set' AS entry,
    0 AS counted_amount,
    amount::DECIMAL(38,0) AS staking_amount
  FROM owned
  WHERE staked_height IS NOT NULL
  UNION ALL BY NAME
  SELECT
    * REPLACE (
      spent_height AS height,
      spent_time AS block_time,
      spent_tx_id AS tx_id,
      -amount::DECIMAL(38,0) AS amount
    ),
    'debit' AS entry,
    (CASE owner_position WHEN 1 THEN -amount ELSE 0 END)::DECIMAL(38,0) AS counted_amount
  FROM owned
  WHERE spent_tx_id IS NOT NULL
  UNION ALL BY NAME
  SELECT
    atomic.* REPLACE (
      CASE WHEN proposals.height IS NULL THEN atomic.height ELSE proposals.option_height END AS height,
      CASE WHEN proposals.height IS NULL THEN atomic.block_time ELSE proposals.option_time END AS block_time,
      0 AS amount
    ),
    unnest(atomic.addresses) AS address,
    0 AS counted_amount,
    CASE WHEN atomic.entry = 'credit atomic' THEN atomic.amount::DECIMAL(38,0) ELSE -atomic.amount::DECIMAL(38,0) END AS atomic_amount,
    atomic.amount AS utxo_amount,
    len(atomic.addresses) AS address_count,
    coalesce(transaction.destination_chain_id, transaction.source_chain_id) AS other_chain_id
  FROM atomic
  JOIN p_transactions AS transaction USING (network, height, tx_index)
  LEFT JOIN proposals USING (network, height)
  WHERE proposals.height IS NULL OR proposals.option_height IS NOT NULL
)
SELECT
  booked.network,
  booked.address,
  booked.height,
  booked.block_time,
  booked.tx_id,
  booked.entry,
  booked.origin,
  booked.utxo_id,
  booked.asset_id,
  booked.amount,
  CASE WHEN booked.asset_id = chains.native_asset_id THEN booked.amount::DECIMAL(20,0) * 0.000000001::DECIMAL(9,9) END AS amount_avax,
  booked.counted_amount,
  CASE WHEN booked.asset_id = chains.native_asset_id THEN booked.counted_amount::DECIMAL(20,0) * 0.000000001::DECIMAL(9,9) END AS counted_avax,
  coalesce(booked.staking_amount, 0) AS staking_amount,
  coalesce(booked.atomic_amount, 0) AS atomic_amount,
  booked.utxo_amount,
  booked.address_count,
  booked.threshold,
  booked.locktime,
  booked.stakeable_locktime,
  booked.other_chain_id
FROM booked
LEFT JOIN (SELECT * FROM chains WHERE alias = 'P') AS chains USING (network)
