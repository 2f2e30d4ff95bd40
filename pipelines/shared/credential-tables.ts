import type { ReadRecord, Tables } from '../../src/define/index.ts'
import type { IndexPipeline } from './index-pipeline.ts'

type Load = () => Promise<ReadRecord<any>>

/** The parameters for writing signatures of transactions and recovering their signers. */
export function credentialTables(
  tables: Tables,
  loadDecode: Load,
  loadSigners: Load,
): NonNullable<IndexPipeline<Tables>['more']> {
  const [table] = Object.values(tables)
  return {
    credentials: {
      comment: `Also write the signatures of transactions to the table ${table?.name}.`,
      tables,
      loadDecode,
      deeper: {
        parameter: 'signers',
        comment:
          'With credentials: recover the public key and address that made each signature; set it from the first run on, rows that are there stay.',
        loadDecode: loadSigners,
      },
    },
  }
}
