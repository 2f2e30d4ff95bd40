-- One row per UTXO that the P-, X- or C-Chain exported, with its import. An import without its export in the lake has a
-- row, too. Transfers to and from chains of other subnets are messages, not UTXOs: they are not here.
--
-- source_chain: Chain that exported the UTXO: P, X or C; null for a chain that is not in chains.
-- destination_chain: Chain that it was exported to: P, X or C; null as above.
-- transfer_status: imported; pending: the destination chain had not imported it up to the last block in the lake;
--   unknown: the lake has not read the destination chain from its start (p-blocks, x-blocks, c-blocks) to the time of
--   the export, or that time is not known.
-- amount_avax: The amount in AVAX, exact; null for other assets, and where chains does not name the asset.
-- from_addresses: Addresses that signed the export (P and X: bech32 without chain prefix, C: 0x…); null where the lake
--   does not have the export, and on P and X unless it was read with --signers.
-- owner_addresses: Owners of the UTXO, who may import it (bech32 without chain prefix); null without the export.
-- to_addresses: Addresses that the importing transaction paid (P and X: bech32 without chain prefix, C: 0x…).
-- export_tx_id: Transaction of the export.
-- export_output_index: Position of the UTXO in that transaction.
-- export_height: Height of the block with the export; null where it is not known.
-- export_time: Time of that block (UTC); null where it is not known.
-- import_tx_id: Transaction of the import; null without one.
-- import_height: Height of the block with the import; null where it is not known.
-- import_time: Time of that block (UTC); null where it is not known.
-- source_chain_id: Id of the chain that exported the UTXO.
-- destination_chain_id: Id of the chain that it was exported to.

WITH exported AS (
  SELECT
    output.* REPLACE (time.known_time AS block_time),
    '11111111111111111111111111111111LpoYY' AS blockchain_id,
    transaction.destination_chain_id
  FROM p_outputs AS output
  JOIN p_transactions AS transaction USING (network, height, tx_index)
  LEFT JOIN p_block_times AS time USING (network, height)
  WHERE output.kind = 'export'
  UNION ALL BY NAME
  SELECT output.*, transaction.destination_chain_id
  FROM x_outputs AS output
  JOIN x_transactions AS transaction USING (network, blockchain_id, tx_id)
  WHERE output.kind = 'export'
  UNION ALL BY NAME
  SELECT output.*, output.block_number AS height, transaction.destination_chain_id
  FROM c_atomic_outputs AS output
  JOIN c_atomic_transactions AS transaction USING (network, blockchain_id, block_number, tx_index)
  WHERE output.kind = 'export'
),
imported AS (
  SELECT
    input.* REPLACE (time.known_time AS block_time),
    '11111111111111111111111111111111LpoYY' AS blockchain_id,
    transaction.source_chain_id
  FROM p_inputs AS input
  JOIN p_transactions AS transaction USING (network, height, tx_index)
  LEFT JOIN p_block_times AS time USING (network, height)
  WHERE input.kind = 'import'
  UNION ALL BY NAME
  SELECT input.*, transaction.source_chain_id
  FROM x_inputs AS input
  JOIN x_transactions AS transaction USING (network, blockchain_id, tx_id)
  WHERE input.kind = 'import'
  UNION ALL BY NAME
  SELECT input.*, input.block_number AS height, transaction.source_chain_id
  FROM c_atomic_inputs AS input
  -- Some early blocks of the C-Chain of mainnet repeat an import of an earlier block: the first one counts.
  JOIN (
    SELECT
      network,
      blockchain_id,
      tx_id,
      min(block_number) AS block_number,
      arg_min(tx_index, block_number) AS tx_index,
      arg_min(source_chain_id, block_number) AS source_chain_id
    FROM c_atomic_transactions
    WHERE tx_type = 'ImportTx'
    GROUP BY ALL
  ) AS transaction USING (network, blockchain_id, block_number, tx_index)
  WHERE input.kind = 'import'
),
sender AS (
  SELECT
    network,
    tx_id,
    CASE WHEN bool_and(address IS NOT NULL) THEN list_sort(list(DISTINCT address)) END AS addresses
  FROM (
    SELECT network, tx_id, address FROM p_credentials
    UNION ALL
    SELECT network, tx_id, address FROM x_credentials
    UNION ALL
    SELECT network, tx_id, evm_address FROM c_atomic_inputs WHERE kind = 'evm'
  )
  SEMI JOIN exported USING (network, tx_id)
  GROUP BY ALL
),
receiver AS (
  SELECT network, tx_id, list_sort(list(DISTINCT address)) AS addresses
  FROM (
    SELECT network, tx_id, unnest(addresses) AS address FROM p_outputs
    UNION ALL
    SELECT network, tx_id, unnest(addresses) FROM x_outputs
    UNION ALL
    SELECT network, tx_id, evm_address FROM c_atomic_outputs WHERE kind = 'evm'
  )
  SEMI JOIN imported USING (network, tx_id)
  GROUP BY ALL
),
-- The times of the blocks that were read from the start of a chain up to the first gap.
complete AS (
  SELECT block.network, block.chain, min(block.first_time) AS first_time, max(block.known_time) AS last_time
  FROM (
    SELECT network, 'P' AS chain, 'p_inputs' AS table_name, height, known_time, '-infinity'::TIMESTAMPTZ AS first_time
    FROM p_block_times
    UNION ALL
    -- Before its first block, the X-Chain had vertices.
    SELECT block.network, 'X', 'x_inputs', block.height, block.block_time, block.block_time
    FROM x_blocks AS block
    SEMI JOIN (SELECT * FROM chains WHERE alias = 'X') AS chain USING (network, blockchain_id)
    UNION ALL
    SELECT block.network, 'C', 'c_atomic_inputs', block.block_number, block.block_time, '-infinity'::TIMESTAMPTZ
    FROM c_blocks AS block
    SEMI JOIN (SELECT * FROM chains WHERE alias = 'C') AS chain USING (network, blockchain_id)
  ) AS block
  JOIN (
    SELECT network, table_name, slice_to
    FROM coverage
    WHERE stream IN (network || '/P/block', network || '/X/block', network || '/C/block') AND slice_from = 1
  ) AS read
    ON read.network = block.network AND read.table_name = block.table_name AND block.height < read.slice_to
  GROUP BY ALL
)
SELECT
  transfer.network,
  source.alias AS source_chain,
  destination.alias AS destination_chain,
  CASE
    WHEN transfer.import_tx_id IS NOT NULL THEN 'imported'
    WHEN complete.network IS NOT NULL THEN 'pending'
    ELSE 'unknown'
  END AS transfer_status,
  transfer.asset_id,
  transfer.amount,
  CASE WHEN transfer.asset_id = source.native_asset_id THEN transfer.amount * 0.000000001::DECIMAL(9,9) END AS amount_avax,
  sender.addresses AS from_addresses,
  transfer.addresses AS owner_addresses,
  receiver.addresses AS to_addresses,
  transfer.export_tx_id,
  transfer.export_output_index,
  transfer.export_height,
  transfer.export_time,
  transfer.import_tx_id,
  transfer.import_height,
  transfer.import_time,
  transfer.source_chain_id,
  transfer.destination_chain_id
FROM (
  SELECT
    network,
    coalesce(exported.blockchain_id, imported.source_chain_id) AS source_chain_id,
    coalesce(imported.blockchain_id, exported.destination_chain_id) AS destination_chain_id,
    coalesce(exported.asset_id, imported.asset_id) AS asset_id,
    coalesce(exported.amount, imported.amount) AS amount,
    exported.addresses,
    source_tx_id AS export_tx_id,
    source_output_index AS export_output_index,
    exported.height AS export_height,
    exported.block_time AS export_time,
    imported.tx_id AS import_tx_id,
    imported.height AS import_height,
    imported.block_time AS import_time
  FROM (SELECT *, tx_id AS source_tx_id, output_index AS source_output_index FROM exported) AS exported
  FULL JOIN imported USING (network, source_tx_id, source_output_index)
) AS transfer
LEFT JOIN chains AS source
  ON source.network = transfer.network AND source.blockchain_id = transfer.source_chain_id
LEFT JOIN chains AS destination
  ON destination.network = transfer.network AND destination.blockchain_id = transfer.destination_chain_id
LEFT JOIN sender
  ON sender.network = transfer.network AND sender.tx_id = transfer.export_tx_id
LEFT JOIN receiver
  ON receiver.network = transfer.network AND receiver.tx_id = transfer.import_tx_id
LEFT JOIN complete
  ON complete.network = transfer.network
  AND complete.chain = destination.alias
  AND transfer.export_time BETWEEN complete.first_time AND complete.last_time
