import { p, type RefusedParameter } from '../../src/define/index.ts'
import { rangeParameters } from './range-parameters.ts'

/** Containers per commit. Encoders keep part of a unit in memory: twice as many containers need 60 MB more and are no faster. */
export const usualUnit = 32_768

/**
 * The parameters of a pipeline that reads an index. `path` is null for an index of blocks. Otherwise it names an index of transactions or
 * vertices, which have no height and no time of the chain.
 */
export function indexParameters(path: string | null) {
  const timeless =
    path === null
      ? {}
      : {
          timeless: `what ${path} holds has no time of the chain, only the time at which the node of the index accepted it; x-blocks takes times`,
        }
  return {
    ...(path === null
      ? rangeParameters('height', 'the last accepted block', { first: 1 })
      : rangeParameters('container index', 'the last accepted container', timeless)),
    unit: p.whole(`Most records per commit (default: ${usualUnit}). Threads that share a range take fewer.`, {
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
  'Source: the index of the node (default: index), or each block by its height (rpc) if the node has no index. Both fill the same range.',
  { choices: ['index', 'rpc'] },
)

export const heightsAreBounds: RefusedParameter = {
  why: 'The bounds of a range are heights.',
  instead: 'Give them with from and to, or with range.',
}
