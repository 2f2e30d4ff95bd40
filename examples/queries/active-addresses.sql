-- How many addresses were active each day?
SELECT day, sender_count, receiver_count FROM evm_daily ORDER BY day
