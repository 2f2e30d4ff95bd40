-- What did gas cost each day, in gwei?
SELECT day, lowest / 1e9 AS lowest, median / 1e9 AS median, p90 / 1e9 AS p90, highest / 1e9 AS highest FROM evm_gas_prices ORDER BY day
