import { xVertices } from '../schemas/x-vertices.ts'
import { decodeXVertex } from '../src/decode/x/vertex.ts'
import { containerRange, indexContainers, pipeline } from '../src/define/index.ts'
import { rawContainers } from './shared/raw-containers.ts'

export const xVerticesPipeline = pipeline({
  name: 'x-vertices',
  comment: 'X-chain vertices of before Cortina from the frozen index X/vtx, decoded.',
  source: indexContainers({
    path: 'X/vtx',
    order: 'node',
    instances: true,
    whenEmpty: 'This network never had an X chain of before Cortina: it has no vertices.',
  }),
  walk: containerRange(),
  parentOf: () => null,
  linkOf: null,
  tables: { vertices: xVertices },
  decode: decodeXVertex,
  options: { raw: rawContainers('vtx') },
})
