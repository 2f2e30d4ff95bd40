import type { Pipeline } from '../../define/index.ts'

/** Documents and help group pipelines by their source and by how they read it. */
export const pipelineGroups: readonly { readonly title: string; readonly has: (pipeline: Pipeline) => boolean }[] = [
  { title: 'blocks of a node, in order', has: ({ reads, walks }) => reads === 'node' && walks.includes('range') },
  { title: 'the present state of a node', has: ({ reads, walks }) => reads === 'node' && !walks.includes('range') },
  { title: 'lists of the REST service', has: ({ reads }) => reads === 'service' },
  { title: 'lists of other services', has: ({ reads }) => typeof reads === 'object' },
]
