-- Which exports are waiting for their import?
SELECT source_chain, destination_chain, export_tx_id, amount_avax, export_time FROM cross_chain_transfers
WHERE transfer_status = 'pending' AND amount_avax IS NOT NULL ORDER BY amount_avax DESC, export_tx_id LIMIT 5
