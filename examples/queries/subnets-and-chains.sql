-- Which subnets have blockchains, and which virtual machines do these run?
SELECT subnet_id, count(*) AS chains, list_sort(list(DISTINCT vm_id)) AS vms
FROM p_transactions WHERE tx_type = 'CreateChainTx' GROUP BY ALL ORDER BY chains DESC, subnet_id LIMIT 5
