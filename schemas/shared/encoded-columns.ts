import { t } from '../../src/define/index.ts'

/** How a node was asked to write something. */
export const encodingColumn = {
  encoding: t.text('How the node was asked to write it: hex or json; null where it was not asked for.', {
    nullable: true,
  }),
}
