-- One row per validator of the Primary Network and of subnets that are not L1s, as it is now: those of the last
-- observation of all of them by a node (pipeline validators), otherwise those of p_stakers at the last block of the P-Chain,
-- which miss validators of the genesis. Validators of L1s are in l1_validators; those that a subnet had before it
-- became an L1 are here until they end.
--
-- tx_id: Transaction that added the validator.
-- stake: Own stake, on the Primary Network in nAVAX, elsewhere in the least unit of the staking asset.
-- stake_avax: The same in AVAX, exact; null for other subnets.
-- delegator_count: Number of delegations in delegators_now.
-- delegated: Stake of these delegations, in the unit of stake: on the Primary Network in nAVAX.
-- delegated_avax: The same in AVAX, exact; null for other subnets.
-- owner_addresses: Addresses that receive the rewards of the validator, bech32 without chain prefix.
-- as_of: Time of the observation or of the last block (UTC).
-- read_from: node_validators or p_stakers: one of them for each subnet.

WITH last AS (
  SELECT network, max(known_time) AS last_time
  FROM p_block_times
  -- A time that is carried forward is never later than the one that it comes from.
  WHERE NOT carried_forward
  GROUP BY ALL
),
stakers AS MATERIALIZED (
  SELECT
    staker.network,
    staker.subnet_id,
    staker.node_id,
    staker.tx_id,
    staker.staker_role,
    staker.active_from AS start_time,
    staker.active_to AS end_time,
    staker.weight AS stake,
    staker.reward_addresses AS owner_addresses,
    last.last_time AS as_of
  FROM p_stakers AS staker
  JOIN last USING (network)
  WHERE staker.validation_id IS NULL
    AND staker.active_from <= last.last_time
    AND (staker.active_to <= last.last_time) IS NOT TRUE
),
observed AS MATERIALIZED (
  SELECT
    network,
    subnet_id,
    node_id,
    tx_id,
    start_time,
    end_time,
    weight AS stake,
    validation_reward_owner_addresses AS owner_addresses,
    observed_at AS as_of,
    'node_validators' AS read_from
  FROM node_validators_latest
  WHERE subject NOT LIKE '%node-ids=%'
  QUALIFY observed_at = max(observed_at) OVER (PARTITION BY network, subnet_id)
),
delegators AS MATERIALIZED (
  SELECT network, subnet_id, node_id, weight AS stake
  FROM node_delegators_latest
  WHERE subject NOT LIKE '%node-ids=%'
  QUALIFY observed_at = max(observed_at) OVER (PARTITION BY network, subnet_id)
),
asked AS (
  SELECT DISTINCT network, subnet_id
  FROM node_validators_latest
  WHERE subject LIKE '%delegators=true%' AND subject NOT LIKE '%node-ids=%'
),
-- As in delegators_now, from the same rows of p_stakers: they take most of the memory.
delegated AS (
  SELECT network, subnet_id, node_id, count(*) AS delegator_count, sum(stake) AS stake
  FROM (
    SELECT network, subnet_id, node_id, stake FROM delegators
    UNION ALL
    SELECT network, subnet_id, node_id, stake FROM (SELECT * FROM stakers WHERE staker_role = 'delegator')
    ANTI JOIN asked USING (network, subnet_id)
  )
  GROUP BY ALL
)
SELECT
  validator.network,
  validator.subnet_id,
  validator.node_id,
  validator.tx_id,
  validator.start_time,
  validator.end_time,
  validator.stake,
  CASE WHEN validator.subnet_id = '11111111111111111111111111111111LpoYY' THEN validator.stake * 0.000000001::DECIMAL(9,9) END AS stake_avax,
  coalesce(delegated.delegator_count, 0) AS delegator_count,
  CAST(coalesce(delegated.stake, 0) AS DECIMAL(38,0)) AS delegated,
  CAST(
    CASE WHEN validator.subnet_id = '11111111111111111111111111111111LpoYY' THEN coalesce(delegated.stake, 0) * 0.000000001::DECIMAL(9,9) END
    AS DECIMAL(38,9)
  ) AS delegated_avax,
  validator.owner_addresses,
  validator.as_of,
  validator.read_from
FROM (
  SELECT * FROM observed
  UNION ALL
  SELECT * EXCLUDE (staker_role), 'p_stakers' FROM (SELECT * FROM stakers WHERE staker_role = 'validator')
  ANTI JOIN observed USING (network, subnet_id)
) AS validator
LEFT JOIN delegated USING (network, subnet_id, node_id)
