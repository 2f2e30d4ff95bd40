import { t } from '../../src/define/index.ts'
import { networkColumn } from './block-columns.ts'

/** What a row of a subnet begins with. */
export const nodeSubnetColumns = {
  ...networkColumn,
  subnet_id: t.address('Subnet.'),
}

/** A BLS key as a node states it. */
export const blsPublicKeyColumn = {
  bls_public_key: t.hex('BLS public key, 48 bytes; null where the node states none.', { nullable: true }),
}

/** When something is staked. */
export const stakingTimeColumns = {
  start_time: t.timestamp('When it began (UTC).'),
  end_time: t.timestamp('When it ends (UTC).'),
}
