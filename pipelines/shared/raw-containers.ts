import { containers } from '../../schemas/containers.ts'
import { decodeRawContainer } from '../../src/decode/raw-container.ts'
import { optionalPart } from '../../src/define/index.ts'
import { optionComments } from './options.ts'

/** The option `raw` of a pipeline; `index` is the last part of the path of its index. */
export function rawContainers(index: 'block' | 'tx' | 'vtx') {
  return optionalPart({
    comment: optionComments.raw,
    tables: { containers },
    decode: decodeRawContainer(index),
  })
}
