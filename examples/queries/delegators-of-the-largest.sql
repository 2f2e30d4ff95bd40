-- Who delegates to the validator with the most delegations now?
SELECT node_id, owner_addresses, stake_avax, end_time FROM delegators_now
WHERE node_id = (SELECT node_id FROM validators_now WHERE stake_avax IS NOT NULL ORDER BY delegator_count DESC, node_id LIMIT 1)
ORDER BY stake_avax DESC, tx_id LIMIT 5
