-- One row per UTXO of the X-Chain in the lake, from containers and x_state_outputs, with the block that created it and
-- the block that spent it. Exported outputs exist on other chains and are not here.
--
-- tx_id: Transaction that created it; 11111111111111111111111111111111LpoYY for balances of the P-Chain genesis.
-- output_index: Index of the UTXO in that transaction.
-- origin: base, initial (of a created asset) or operation; for UTXOs that are in no container genesis or unknown.
-- height: Height from which it can be spent; 0 for the genesis; null in rows of the legacy index.
-- block_time: Time of that block (UTC); null for the genesis and in rows of the legacy index.
-- spent_height: Height at which it is spent; null while unspent, and in rows of the legacy index.
-- spent_time: Time of that block (UTC).
-- spent_tx_id: Transaction that spends it; null while unspent.

-- Inputs of imports spend outputs of other chains.
WITH made AS (
  SELECT
    network,
    blockchain_id,
    utxo_id,
    tx_id,
    output_index,
    origin,
    output_type,
    asset_id,
    amount,
    addresses,
    threshold,
    locktime,
    group_id,
    payload,
    height,
    block_time
  FROM x_outputs
  WHERE kind = 'transfer'
  UNION ALL BY NAME
  SELECT *, CASE WHEN origin = 'genesis' THEN 0 END AS height
  FROM x_state_outputs
),
spent AS (
  SELECT
    network,
    blockchain_id,
    source_tx_id AS tx_id,
    source_output_index AS output_index,
    height AS spent_height,
    block_time AS spent_time,
    tx_id AS spent_tx_id
  FROM x_inputs
  WHERE kind <> 'import'
)
SELECT made.*, spent_height, spent_time, spent_tx_id
FROM made
LEFT JOIN spent USING (network, blockchain_id, tx_id, output_index)
