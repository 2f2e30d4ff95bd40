import { t } from '../../src/define/index.ts'

/** The requested encoding of an answer. */
export const encodingColumn = {
  encoding: t.text('Requested encoding: hex or json; null where the content was not requested.', {
    nullable: true,
  }),
}
