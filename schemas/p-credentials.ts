import { identity, month, type RowOf } from '../src/define/index.ts'
import { credentialColumns } from './shared/credential-columns.ts'
import { pTransactionColumns } from './shared/p-transaction-columns.ts'
import { table } from './shared/table.ts'

export const pCredentials = table({
  name: 'p_credentials',
  comment:
    'One row per signature of a P-Chain transaction. Written with --credentials; --signers also recovers the signers.',
  key: ['network', 'height', 'tx_index', 'credential_index', 'signature_index'],
  sortBy: ['height', 'tx_index', 'credential_index', 'signature_index'],
  partitionBy: [identity('network'), month('block_time')],
  columns: { ...pTransactionColumns, ...credentialColumns },
})
export type PCredential = RowOf<typeof pCredentials>
