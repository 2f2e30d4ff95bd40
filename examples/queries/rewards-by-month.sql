-- How much was paid in rewards each month?
SELECT strftime(paid_at AT TIME ZONE 'UTC', '%Y-%m') AS month, count(*) AS payments, sum(amount_avax) AS avax
FROM p_reward_payments GROUP BY ALL ORDER BY month
