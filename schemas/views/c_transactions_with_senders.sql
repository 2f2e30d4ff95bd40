SELECT transaction.* EXCLUDE (block_date), sender.from_address
FROM c_transactions AS transaction
LEFT JOIN c_senders AS sender USING (network, blockchain_id, block_number, transaction_index)
