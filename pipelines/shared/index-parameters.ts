import { p, type RefusedParameter } from '../../src/define/index.ts'
import { rangeParameters } from './range-parameters.ts'

/** Containers per commit. Encoders keep part of a unit in memory: twice as many containers need 60 MB more and are no faster. */
export const usualUnit = 32_768

/** The parameters of an index. `path` names an index whose containers have no time of the chain; null: an index of blocks, which have one. */
export function indexParameters(path: string | null) {
  const timeless =
    path === null
      ? {}
      : {
          timeless: `what ${path} holds has no time of the chain, only the time at which the node of the index accepted it; x-blocks takes times`,
        }
  return {
    ...rangeParameters('container index', 'the last accepted container', timeless),
    unit: p.whole(`Most containers per commit (default: ${usualUnit}). Threads that share a range take fewer.`, {
      least: 1,
    }),
    raw: p.boolean('Also write the raw containers to the table containers.'),
  }
}

/** Only for pipelines that can read several chains. */
export const chainParameter = p.text(
  "Blockchain id of another chain of the same kind (default: the pipeline's own chain).",
)

/** Why the pipeline of the index `path` reads one chain only. */
export function onlyChain(path: string): RefusedParameter {
  const [chain] = path.split('/')
  return {
    why: `A network has only one ${chain}-Chain.`,
    instead: chain === 'C' ? 'Give evm-blocks the URL of another EVM chain.' : 'Give no --chain.',
  }
}

/** How to read blocks that an index and the RPC have. */
export const sourceParameter = p.text(
  'Source: the index of the node (default: index), or each block by its height (rpc) if the node has no index. Both fill the same range with the same from and to: the block at height h has index h - 1.',
  { choices: ['index', 'rpc'] },
)

/** Why the index `path` takes no heights: its containers have none. */
export function withoutHeights(path: string): RefusedParameter {
  return {
    why: `What ${path} holds has no height: the index of each node has its own order.`,
    instead: 'Give container indexes with from and to, or with range.',
  }
}
