-- One row per UTXO of the P-Chain in the lake, from containers and p_state_outputs, with the time from which it could
-- be spent and the time at which it was spent. Exported outputs exist on other chains and are not here. The effects of
-- a proposal block count from its option block.
--
-- tx_id: Transaction that created it; 11111111111111111111111111111111LpoYY for balances of the P-Chain genesis.
-- output_index: Index of the UTXO in that transaction.
-- kind: transfer, stake, or state for UTXOs that are in no container.
-- origin: Origin of a UTXO that is in no container: reward, refund, genesis or unknown; otherwise null.
-- staked_tx_id: Staking transaction that a reward belongs to; null for other origins.
-- staked_height: For a stake: height from which it is in the staking set; null for other outputs, while a proposal is
--   undecided, and for a stake that was itself an aborted proposal.
-- staked_time: Time of that block (UTC).
-- height: Height from which it can be spent; 0 for the genesis; null for a stake that is not released, and where it is
--   missing in the lake.
-- block_time: Time of that block (UTC); null for the genesis.
-- by_tx_id: Transaction that made it spendable; for stakes and rewards the transaction that ended the staking.
-- spent_height: Height at which it is spent; null while unspent.
-- spent_time: Time of that block (UTC).
-- spent_tx_id: Transaction that spends it; null while unspent.

-- What a proposal block spends and creates is valid from its option block. An abort concerns the proposed transaction only: since Banff other
-- transactions of the block are valid with either outcome. Inputs of imports spend outputs of other chains. A condition on
-- one side of an outer join is part of its key: outside of the key DuckDB would compare every row with every other.
WITH proposals AS (
  SELECT
    proposal.network,
    proposal.height,
    proposal.tx_id,
    proposal.tx_type,
    proposal.staked_tx_id,
    proposal.outcome,
    proposal.stake_ended,
    proposal.option_height AS effective_height,
    decision.block_time AS effective_time
  FROM p_proposals AS proposal
  LEFT JOIN p_blocks AS decision
    ON decision.network = proposal.network AND decision.height = proposal.option_height
),
-- A stake is released when its reward transaction is decided, or at once if the staking transaction was aborted.
releases AS (
  SELECT network, staked_tx_id AS tx_id, tx_id AS by_tx_id, effective_height, effective_time
  FROM proposals
  WHERE stake_ended
  UNION ALL
  SELECT network, tx_id, tx_id, effective_height, effective_time
  FROM proposals
  WHERE outcome = 'aborted' AND tx_type IN ('AddValidatorTx', 'AddDelegatorTx')
),
-- Rewards are UTXOs of the staking transaction; for a period of an auto-renewed validator they are UTXOs of its reward transaction.
payments AS (
  SELECT network, tx_id, by_tx_id, effective_height, effective_time
  FROM releases
  UNION ALL
  SELECT network, tx_id, tx_id, effective_height, effective_time
  FROM proposals
  WHERE tx_type = 'RewardAutoRenewedValidatorTx' AND outcome IS NOT NULL
),
made AS (
  SELECT
    output.network,
    output.utxo_id,
    output.tx_id,
    output.output_index,
    output.kind,
    NULL::VARCHAR AS origin,
    NULL::VARCHAR AS staked_tx_id,
    output.asset_id,
    output.amount,
    output.addresses,
    output.threshold,
    output.locktime,
    output.stakeable_locktime,
    CASE WHEN proposal.height IS NULL THEN output.height ELSE proposal.effective_height END AS valid_height,
    CASE WHEN proposal.height IS NULL THEN output.block_time ELSE proposal.effective_time END AS valid_time,
    output.kind = 'stake' AND (proposal.outcome = 'aborted' AND proposal.tx_id = output.tx_id) IS NOT TRUE AS was_staked,
    CASE WHEN was_staked THEN valid_height END AS staked_height,
    CASE WHEN was_staked THEN valid_time END AS staked_time,
    CASE WHEN output.kind = 'stake' THEN release.effective_height ELSE valid_height END AS height,
    CASE WHEN output.kind = 'stake' THEN release.effective_time ELSE valid_time END AS block_time,
    CASE WHEN output.kind = 'stake' THEN release.by_tx_id ELSE output.tx_id END AS by_tx_id
  FROM p_outputs AS output
  LEFT JOIN proposals AS proposal USING (network, height)
  LEFT JOIN releases AS release
    ON release.network = output.network AND release.tx_id = CASE WHEN output.kind = 'stake' THEN output.tx_id END
  WHERE output.kind <> 'export'
  UNION ALL BY NAME
  SELECT
    output.*,
    'state' AS kind,
    CASE
      WHEN payment.tx_id IS NOT NULL THEN payment.effective_height
      WHEN proposal.height IS NOT NULL THEN proposal.effective_height
      WHEN refund.tx_id IS NOT NULL THEN refund.height
      WHEN output.origin = 'genesis' THEN 0
    END AS height,
    CASE
      WHEN payment.tx_id IS NOT NULL THEN payment.effective_time
      WHEN proposal.height IS NOT NULL THEN proposal.effective_time
      ELSE refund.block_time
    END AS block_time,
    coalesce(payment.by_tx_id, output.tx_id) AS by_tx_id
  FROM p_state_outputs AS output
  LEFT JOIN payments AS payment USING (network, tx_id)
  LEFT JOIN p_transactions AS refund
    ON refund.network = output.network AND refund.tx_id = CASE WHEN output.origin = 'refund' THEN output.tx_id END
  LEFT JOIN proposals AS proposal
    ON proposal.network = refund.network AND proposal.height = refund.height
),
spent AS (
  SELECT
    input.network,
    input.source_tx_id AS tx_id,
    input.source_output_index AS output_index,
    coalesce(proposal.effective_height, input.height) AS spent_height,
    CASE WHEN proposal.height IS NULL THEN input.block_time ELSE proposal.effective_time END AS spent_time,
    input.tx_id AS spent_tx_id
  FROM p_inputs AS input
  LEFT JOIN proposals AS proposal USING (network, height)
  WHERE input.kind = 'transfer' AND (proposal.height IS NULL OR proposal.outcome IS NOT NULL)
)
SELECT made.* EXCLUDE (valid_height, valid_time, was_staked), spent_height, spent_time, spent_tx_id
FROM made
LEFT JOIN spent USING (network, tx_id, output_index)
