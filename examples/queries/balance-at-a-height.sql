-- What was the balance of an address at a height?
SELECT sum(amount_avax) AS avax FROM p_ledger
WHERE address = 'local130wqp0hy9xzefpxn35ek2unu66x6l7h0ermv5t' AND height <= 1000
