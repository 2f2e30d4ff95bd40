import { t } from '../../src/define/index.ts'
import { networkColumn } from './block-columns.ts'

/** First columns of tables of subnets. */
export const nodeSubnetColumns = {
  ...networkColumn,
  subnet_id: t.address('Id of the subnet.'),
}

/** A BLS key as a node returns it. */
export const blsPublicKeyColumn = {
  bls_public_key: t
    .hex('BLS public key, 48 bytes; null where the node returns none.', { nullable: true })
    .at('publicKey'),
}

/** Start and end of a staking period. */
export const stakingTimeColumns = {
  start_time: t.timestamp('Start of the staking (UTC).').at('startTime', 'time'),
  end_time: t.timestamp('End of the staking (UTC).').at('endTime', 'time'),
}
