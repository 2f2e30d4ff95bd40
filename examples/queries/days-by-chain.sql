-- How many transactions did each chain have on its last days, and how much AVAX did they burn?
SELECT chain, day, read_from, transaction_count, atomic_transaction_count, active_address_count, burned_in_tokens FROM chain_daily
WHERE day > (SELECT max(day) FROM chain_daily) - 7 ORDER BY day DESC, chain LIMIT 12
