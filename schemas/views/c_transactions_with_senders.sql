-- One row per EVM transaction of the C-Chain, with its sender where it was recovered (--senders).
--
-- from_address: Sender; null where it was not recovered.

SELECT transaction.* EXCLUDE (block_date), sender.from_address
FROM c_transactions AS transaction
LEFT JOIN c_senders AS sender USING (network, blockchain_id, block_number, transaction_index)
