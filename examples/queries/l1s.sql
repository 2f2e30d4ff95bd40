-- Who created which L1, and how many validators has it now?
SELECT subnet_id, creator_addresses[1] AS creator, blockchain_names, manager_address, validator_count, l1_state FROM l1s
ORDER BY conversion_time DESC, subnet_id LIMIT 5
