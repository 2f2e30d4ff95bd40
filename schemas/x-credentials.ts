import { identity, month, type RowOf } from '../src/define/index.ts'
import { credentialColumns } from './shared/credential-columns.ts'
import { table } from './shared/table.ts'
import { xTransactionColumns } from './shared/x-columns.ts'

export const xCredentials = table({
  name: 'x_credentials',
  comment:
    'One row per signature of an X-Chain transaction. Written with --credentials; --signers also recovers the signers.',
  key: ['network', 'blockchain_id', 'tx_id', 'credential_index', 'signature_index'],
  sortBy: ['height', 'tx_index', 'credential_index', 'signature_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), month('block_time')],
  columns: { ...xTransactionColumns, ...credentialColumns },
})
export type XCredential = RowOf<typeof xCredentials>
