-- How much AVAX moved between the chains?
SELECT source_chain, destination_chain, transfer_status, count(*) AS transfers, sum(amount_avax) AS avax
FROM cross_chain_transfers WHERE amount_avax IS NOT NULL GROUP BY ALL ORDER BY ALL
