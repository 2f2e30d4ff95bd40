-- How much AVAX did the C-Chain burn each day?
SELECT day, burned_in_tokens AS burned_avax, transaction_count, read_from FROM chain_daily WHERE chain = 'C' ORDER BY day DESC LIMIT 7
