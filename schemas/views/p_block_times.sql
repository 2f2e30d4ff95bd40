-- The time that an AdvanceTimeTx proposes counts only where it was committed: else the proposal block has the time of its
-- wrapper, if it has one, and later blocks go on from the last time that holds.
WITH stated AS (
  SELECT
    block.network,
    block.height,
    block.block_id,
    block.block_type,
    block.block_time,
    CASE WHEN proposal.height IS NULL THEN block.block_time ELSE block.wrapper_time END AS own_time
  FROM p_blocks AS block
  LEFT JOIN (
    SELECT network, height
    FROM p_proposals
    WHERE tx_type = 'AdvanceTimeTx' AND outcome IS DISTINCT FROM 'committed'
  ) AS proposal
    ON proposal.network = block.network AND proposal.height = block.height
)
SELECT
  network,
  height,
  block_id,
  block_type,
  block_time,
  last_value(own_time IGNORE NULLS) OVER (
    PARTITION BY network ORDER BY height ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS known_time,
  own_time IS NULL AS carried_forward
FROM stated
