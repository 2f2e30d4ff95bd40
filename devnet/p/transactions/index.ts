import { convertSubnetToL1Tx } from './convert.ts'
import { elasticKinds } from './elastic.ts'
import type { TxKind } from './kind.ts'
import { l1Kinds } from './l1.ts'
import { renewedKinds } from './renewed.ts'
import { stakingKinds } from './staking.ts'
import { subnetKinds } from './subnets.ts'
import { transferKinds } from './transfers.ts'

/** All transactions that users send. The order must not change, because the chain of a seed depends on it. */
export const txKinds: readonly TxKind[] = [
  ...transferKinds,
  ...stakingKinds,
  ...subnetKinds,
  ...elasticKinds,
  convertSubnetToL1Tx,
  ...l1Kinds,
  ...renewedKinds,
]
