-- Which nodes earned the most rewards each month, and what were these worth when they were paid?
SELECT strftime(end_time AT TIME ZONE 'UTC', '%Y-%m') AS month, node_id, sum(amount * 0.000000001::DECIMAL(9,9)) AS avax,
  round(sum(amount * 1e-9 * price), 2) AS worth, price_currency AS currency
FROM rest_rewards WHERE price IS NOT NULL GROUP BY ALL ORDER BY month DESC, avax DESC, node_id LIMIT 5
