import { xVertices } from '../schemas/x-chain.ts'
import { decodeXVertex } from '../src/decode/x/rows.ts'
import { indexPipeline } from './shared/index-pipeline.ts'

export const xVerticesPipeline = indexPipeline({
  name: 'x-vertices',
  comment: 'X-Chain vertices from before Cortina, from the frozen index X/vtx, decoded.',
  chain: 'X',
  index: 'vtx',
  order: 'node',
  instances: true,
  whenEmpty: 'This network started after Cortina: it has no vertices.',
  parentOf: () => null,
  linkOf: null,
  tables: { vertices: xVertices },
  decode: decodeXVertex,
})
