-- Which L1s have the most validators, and how much did they deposit?
SELECT subnet_id, count(*) AS validators, sum(deposited_avax) AS deposited, sum(observed_balance_avax) AS balance
FROM l1_validators WHERE weight > 0 GROUP BY ALL ORDER BY validators DESC, subnet_id LIMIT 5
