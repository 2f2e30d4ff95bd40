import { t } from '../../src/define/index.ts'
import { networkColumn } from './block-columns.ts'

/** First columns of every table of the X-Chain and of the C-Chain. */
export const chainColumns = {
  ...networkColumn,
  blockchain_id: t.address('Id of the chain.'),
}
