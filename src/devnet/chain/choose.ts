import { since } from './eras.ts'
import type { BuiltTx } from './funding.ts'
import type { ChainState } from './state.ts'
import { txKinds } from './transactions/index.ts'
import type { TxKind } from './transactions/kind.ts'

/** Which transactions of users come next. */
export type TxChooser = {
  /** Builds a transaction that the state allows and that `suits`; null when several tries found none. */
  next(suits: (kind: TxKind) => boolean): BuiltTx | null
}

/**
 * Draws kinds by their weights. What an era accepts for the first time, or has not shown yet, is tried before everything
 * else, so that short chains show all of it.
 */
export function createTxChooser(state: ChainState): TxChooser {
  const shown = new Set<string>()
  let accepted: readonly TxKind[] = []
  let era = ''
  const refresh = (): void => {
    if (era === state.era.name) return
    era = state.era.name
    shown.clear()
    accepted = txKinds.filter((kind) => {
      return since(state.era, kind.since) && (kind.until === undefined || !since(state.era, kind.until))
    })
  }
  const build = (kind: TxKind): BuiltTx | null => {
    const built = kind.build(state)
    if (built !== null) shown.add(kind.type)
    return built
  }
  return {
    next: (suits) => {
      refresh()
      const suiting = accepted.filter(suits)
      const missing = suiting.filter(({ type }) => !shown.has(type))
      if (missing.length > 0 && state.random.oneIn(2)) {
        const built = build(state.random.pick(missing))
        if (built !== null) return built
      }
      for (let tries = 0; tries < 8 && suiting.length > 0; tries += 1) {
        const built = build(draw(state, suiting))
        if (built !== null) return built
      }
      return null
    },
  }
}

function draw(state: ChainState, kinds: readonly TxKind[]): TxKind {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0)
  let left = state.random.below(total)
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return kinds[0]!
}
