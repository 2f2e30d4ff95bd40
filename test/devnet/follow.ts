import { createHash } from 'node:crypto'
import { decodeCBlock, type HashedCBlock } from '../../codec/c.ts'
import { unwrap } from '../../codec/containers.ts'
import { txIdInBlock } from '../../codec/ids.ts'
import { decodeExactly, decodeWithSpans } from '../../codec/linear.ts'
import { type PBlockValue, pBlock } from '../../codec/p.ts'
import { type XBlockValue, xBlock } from '../../codec/x.ts'
import { createNetwork, type NetworkSettings, type Step } from '../../devnet/chains/network.ts'
import type { CLedger } from './c-ledger.ts'
import type { PLedger } from './p-ledger.ts'
import type { XLedger } from './x-ledger.ts'

/** Generates the first steps of a network. */
export function generate(settings: NetworkSettings, steps: number): Step[] {
  const network = createNetwork(settings)
  return Array.from({ length: steps }, () => network.step())
}

/** A hash over all containers with their times. */
export function digest(steps: readonly Step[]): string {
  const hash = createHash('sha256')
  for (const step of steps) {
    for (const [path, containers] of Object.entries(step)) {
      for (const { bytes, clock, nanoseconds } of containers)
        hash.update(path).update(bytes).update(`${clock}.${nanoseconds}`)
    }
  }
  return hash.digest('hex')
}

export type Followed = {
  readonly P: PBlockValue[]
  readonly X: XBlockValue[]
  readonly C: HashedCBlock[]
  /** Wrappers and types of blocks by chain. */
  readonly kinds: Set<string>
}

/** Decodes every block and passes it to the ledger of its chain, in the order of creation. */
export function follow(
  steps: readonly Step[],
  ledgers: { readonly P: PLedger; readonly X: XLedger; readonly C: CLedger },
): Followed {
  const followed: Followed = { P: [], X: [], C: [], kinds: new Set() }
  steps.forEach((step, at) => {
    for (const { bytes } of step['P/block']) {
      const wrapper = unwrap(bytes)
      const block = decodeExactly(pBlock, wrapper.block, `P ${at}`)
      followed.P.push(block)
      followed.kinds.add(`P ${wrapper.type} ${block.type}`)
      ledgers.P.add(block, `block ${block.height}`)
    }
    for (const { bytes } of step['X/block']) {
      const wrapper = unwrap(bytes)
      const { value: block, spans } = decodeWithSpans(xBlock, wrapper.block, `X ${at}`)
      followed.X.push(block)
      followed.kinds.add(`X ${wrapper.type}`)
      block.txs.forEach((tx, i) => {
        ledgers.X.add(tx, txIdInBlock(wrapper.block.subarray(spans[2 * i], spans[2 * i + 1])))
      })
    }
    for (const { bytes } of step['C/block']) {
      const wrapper = unwrap(bytes)
      const block = decodeCBlock(wrapper.block, `C ${at}`)
      followed.C.push(block)
      followed.kinds.add(`C ${wrapper.type}`)
      ledgers.C.add(block, `C block ${at + 1}`)
    }
  })
  return followed
}
