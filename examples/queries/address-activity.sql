-- Which tables have rows about an address?
SELECT table_name, row_count, first_height, last_height FROM address_activity
WHERE address = 'local130wqp0hy9xzefpxn35ek2unu66x6l7h0ermv5t' ORDER BY row_count DESC, table_name LIMIT 8
