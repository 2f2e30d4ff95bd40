-- How much gas was used each day, and what was paid for it?
SELECT day, transaction_count, failed_count, gas_used, fees_in_tokens FROM evm_daily ORDER BY day
