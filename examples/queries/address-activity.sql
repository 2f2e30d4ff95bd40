-- Which tables have rows about an address, here one that occurs in many transactions of the P-Chain?
SELECT table_name, row_count, first_height, last_height FROM address_activity
WHERE address = (SELECT address FROM p_output_addresses GROUP BY ALL ORDER BY count(*) DESC, address LIMIT 1)
ORDER BY row_count DESC, table_name LIMIT 8
