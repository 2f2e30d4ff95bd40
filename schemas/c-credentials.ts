import { day, identity, type RowOf } from '../src/define/index.ts'
import { cAtomicColumns } from './shared/c-columns.ts'
import { credentialColumns } from './shared/credential-columns.ts'
import { table } from './shared/table.ts'

export const cCredentials = table({
  name: 'c_credentials',
  comment:
    'One row per signature of an atomic transaction of the C-Chain. Written with --credentials; --signers also recovers the signers.',
  key: ['network', 'blockchain_id', 'block_number', 'tx_index', 'credential_index', 'signature_index'],
  sortBy: ['block_number', 'tx_index', 'credential_index', 'signature_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  columns: { ...cAtomicColumns, ...credentialColumns },
})
export type CCredential = RowOf<typeof cCredentials>
