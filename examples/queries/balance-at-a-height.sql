-- What was the balance of an address at a height, here of the busiest one in the middle of the chain?
SELECT address, sum(amount_avax) AS avax FROM p_ledger
WHERE address = (SELECT address FROM p_output_addresses GROUP BY ALL ORDER BY count(*) DESC, address LIMIT 1)
  AND height <= (SELECT max(height) // 2 FROM p_blocks) GROUP BY address
