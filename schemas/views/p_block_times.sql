-- One row per block of the P-Chain, each with a time: a block without one gets the last committed time.
--
-- known_time: block_time where the block has a valid time, otherwise that of the last block before it with one (UTC);
--   null before the first. The time of an AdvanceTimeTx is valid only if it was committed; otherwise that of the
--   proposervm wrapper counts.
-- carried_forward: Whether the block has no valid time: known_time is from an earlier block, or null.

-- The time that an AdvanceTimeTx proposes counts only if it was committed. Otherwise the proposal block has the time of its
-- wrapper, if it has one, and later blocks get the last valid time.
WITH own AS (
  SELECT
    block.network,
    block.height,
    block.block_id,
    block.block_type,
    block.block_time,
    CASE WHEN proposal.height IS NULL THEN block.block_time ELSE block.wrapper_time END AS known_time
  FROM p_blocks AS block
  LEFT JOIN (
    SELECT network, height
    FROM p_proposals
    WHERE tx_type = 'AdvanceTimeTx' AND outcome IS DISTINCT FROM 'committed'
  ) AS proposal USING (network, height)
)
SELECT *, false AS carried_forward
FROM own
WHERE known_time IS NOT NULL
UNION ALL
SELECT later.* REPLACE (earlier.known_time AS known_time), true AS carried_forward
FROM (SELECT * FROM own WHERE known_time IS NULL) AS later
ASOF LEFT JOIN (
  SELECT network, height, known_time
  FROM own
  WHERE known_time IS NOT NULL AND height < (SELECT max(height) FROM own WHERE known_time IS NULL)
) AS earlier
  ON earlier.network = later.network AND earlier.height <= later.height
