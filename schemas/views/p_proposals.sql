-- One row per proposal block of the P-Chain: its transaction, and whether the option block after it committed or
-- aborted it. An aborted AddValidatorTx or AddDelegatorTx adds no staker, and its stake is released at once.
--
-- height: Height of the proposal block.
-- block_id: Id of the proposal block.
-- tx_index: Position of the proposed transaction in its block: the last.
-- tx_id: Id of the proposed transaction.
-- tx_type: Kind of the proposed transaction.
-- staked_tx_id: The staking transaction that the proposal ends.
-- option_height: Height of the option block; null until it exists.
-- option_block_id: Id of the option block; null until it exists.
-- outcome: committed or aborted; null until the option block exists.
-- stake_ended: For reward transactions: whether the stake was released. False where an auto-renewed validator
--   continues. Null until the option block exists, and where the transactions that set the period of an auto-renewed
--   validator are missing in the lake.

-- The proposed transaction is the last of its block. The option block that decides names the proposal block as parent. An
-- auto-renewed validator continues while its reward is committed and its last set period is not 0. All other stakes end with
-- their reward transaction, committed or aborted.
WITH proposals AS (
  SELECT
    proposal.network,
    proposal.height,
    proposal.block_time,
    proposal.block_id,
    transaction.tx_index,
    transaction.tx_id,
    transaction.tx_type,
    transaction.staked_tx_id,
    transaction.chain_time,
    decision.height AS option_height,
    decision.block_id AS option_block_id,
    CASE
      WHEN decision.block_type IN ('ApricotCommitBlock', 'BanffCommitBlock') THEN 'committed'
      WHEN decision.block_type IN ('ApricotAbortBlock', 'BanffAbortBlock') THEN 'aborted'
    END AS outcome
  FROM p_blocks AS proposal
  JOIN p_transactions AS transaction
    ON transaction.network = proposal.network
    AND transaction.height = proposal.height
    AND transaction.tx_index = proposal.tx_count - 1
  LEFT JOIN (
    SELECT network, height, block_id, parent_id, block_type
    FROM p_blocks
    WHERE block_type IN ('ApricotCommitBlock', 'BanffCommitBlock', 'ApricotAbortBlock', 'BanffAbortBlock')
  ) AS decision
    ON decision.network = proposal.network AND decision.parent_id = proposal.block_id
  WHERE proposal.block_type IN ('ApricotProposalBlock', 'BanffProposalBlock')
),
periods AS (
  SELECT network, coalesce(staked_tx_id, tx_id) AS staked_tx_id, (height, tx_index) AS place, period
  FROM p_validations
  WHERE tx_type IN ('AddAutoRenewedValidatorTx', 'SetAutoRenewedValidatorConfigTx')
)
SELECT
  proposals.*,
  CASE
    WHEN outcome IS NULL THEN NULL
    WHEN tx_type = 'RewardValidatorTx' THEN true
    WHEN tx_type = 'RewardAutoRenewedValidatorTx' THEN outcome = 'aborted' OR periods.period = 0
  END AS stake_ended
FROM proposals
ASOF LEFT JOIN periods
  ON periods.network = proposals.network
  AND periods.staked_tx_id = proposals.staked_tx_id
  AND periods.place < (proposals.height, proposals.tx_index)
