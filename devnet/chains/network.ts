import { type AtomicTx, signedAtomicTx } from '../../codec/c.ts'
import { decodeExactly } from '../../codec/linear.ts'
import { createCChain } from '../c/chain.ts'
import type { GeneratedContainer } from '../network/container.ts'
import { createNetworkState } from '../network/state.ts'
import { createReceipts } from '../node/evm/json.ts'
import { createPChain } from '../p/chain.ts'
import type { CreatedChain } from '../p/state.ts'
import { createXChain } from '../x/chain.ts'

/** Increase this number with every change of the network that a seed generates: caches of other versions are not used. */
export const generatorVersion = 6

/** The indexes of the network by path. */
export const indexPaths = ['P/block', 'X/block', 'X/tx', 'X/vtx', 'C/block'] as const
export type IndexPath = (typeof indexPaths)[number]

export type NetworkSettings = {
  readonly seed: number
  /** Whether the X-Chain is older than Cortina and has vertices; default false. */
  readonly legacy?: boolean
  /** Issued transactions by the step of their C-Chain block; default none. Earlier blocks do not change. */
  readonly issued?: readonly Issued[]
}

/** The containers that a step adds to each index. */
export type Step = { readonly [path in IndexPath]: readonly GeneratedContainer[] }

/**
 * Creates the containers of all chains step by step: each step adds one block of each chain, and all chains share one clock. An exported
 * output waits in the shared memory until another chain imports it, in the same step or a later one. The same seed creates the same
 * containers.
 */
export type Network = {
  /** Every blockchain that the P-Chain has created so far. */
  readonly created: readonly CreatedChain[]
  step(): Step
}

export function createNetwork({ seed, legacy = false, issued = [] }: NetworkSettings): Network {
  const state = createNetworkState(seed)
  const p = createPChain(state, seed)
  const x = createXChain(state, seed, legacy)
  const c = createCChain(state, seed, createReceipts())
  let steps = 0
  return {
    created: p.created,
    step: () => {
      steps += 1
      return { 'P/block': [p.next()], ...x.next(), 'C/block': [c.next(issuedAt(issued, steps))] }
    },
  }
}

/** Atomic transactions that a client has issued: the hex of their bytes, and the step with the block that includes them. */
export type Issued = { readonly step: number; readonly txs: readonly string[] }

/** The transactions that were issued for a step, in order of arrival. */
function issuedAt(issued: readonly Issued[], step: number): AtomicTx[] {
  return issued
    .filter((each) => each.step === step)
    .flatMap(({ txs }) => txs)
    .map((hex) => decodeExactly(signedAtomicTx, Buffer.from(hex, 'hex'), 'issued transaction'))
}
