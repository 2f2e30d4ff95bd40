import { t } from '../../src/define/index.ts'
import { networkColumn } from './block-columns.ts'

/** What every table of the X chain and of the C chain begins with. */
export const chainColumns = {
  ...networkColumn,
  blockchain_id: t.address('Id of the chain.'),
}
