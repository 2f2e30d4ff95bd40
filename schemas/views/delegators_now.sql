-- One row per delegation that exists now: those of the last observation of a whole subnet (pipeline validators), otherwise those
-- of p_stakers at the last block of the P-Chain in the lake.
--
-- tx_id: Transaction that created the delegation.
-- stake: Stake, on the Primary Network in nAVAX, elsewhere in the least unit of the staking asset.
-- stake_avax: The same in AVAX, exact; null for other subnets.
-- owner_addresses: Addresses that receive the reward, bech32 without chain prefix.
-- as_of: Time of the observation or of the last block (UTC).
-- read_from: node_delegators or p_stakers: one of them for each subnet.

WITH last AS (
  SELECT network, max(known_time) AS last_time
  FROM p_block_times
  -- A time that is carried forward is never later than the one that it comes from.
  WHERE NOT carried_forward
  GROUP BY ALL
),
staked AS (
  SELECT
    staker.network,
    staker.subnet_id,
    staker.node_id,
    staker.tx_id,
    staker.active_from AS start_time,
    staker.active_to AS end_time,
    staker.weight AS stake,
    staker.reward_addresses AS owner_addresses,
    last.last_time AS as_of,
    'p_stakers' AS read_from
  FROM p_stakers AS staker
  JOIN last USING (network)
  WHERE staker.staker_role = 'delegator' AND staker.active_from <= last.last_time AND (staker.active_to <= last.last_time) IS NOT TRUE
),
observed AS (
  SELECT
    network,
    subnet_id,
    node_id,
    tx_id,
    start_time,
    end_time,
    weight AS stake,
    reward_owner_addresses AS owner_addresses,
    observed_at AS as_of,
    'node_delegators' AS read_from
  FROM node_delegators_latest
  WHERE subject NOT LIKE '%node-ids=%'
  QUALIFY observed_at = max(observed_at) OVER (PARTITION BY network, subnet_id)
),
asked AS (
  SELECT DISTINCT network, subnet_id
  FROM node_validators_latest
  WHERE subject LIKE '%delegators=true%' AND subject NOT LIKE '%node-ids=%'
)
SELECT
  network,
  subnet_id,
  node_id,
  tx_id,
  start_time,
  end_time,
  stake,
  CASE WHEN subnet_id = '11111111111111111111111111111111LpoYY' THEN stake * 0.000000001::DECIMAL(9,9) END AS stake_avax,
  owner_addresses,
  as_of,
  read_from
FROM (
  SELECT * FROM observed
  UNION ALL
  SELECT * FROM staked
  ANTI JOIN asked USING (network, subnet_id)
)
