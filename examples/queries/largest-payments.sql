-- What are the largest payments on the P-Chain?
SELECT height, kind, from_addresses, to_addresses, paid_avax FROM p_payments
WHERE paid IS NOT NULL ORDER BY paid DESC, tx_id, output_index LIMIT 5
