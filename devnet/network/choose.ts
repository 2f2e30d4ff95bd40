import { type EraName, since } from './genesis.ts'
import type { NetworkState } from './state.ts'

/** A kind of transaction that users send. */
export type Kind<State, Built> = {
  readonly type: string
  readonly since: EraName
  /** The first era that does not accept it any more. */
  readonly until?: EraName
  /** How often it is chosen, relative to the weights of the other kinds. */
  readonly weight: number
  /** Builds a transaction from the state; null if the state does not allow it now. */
  readonly build: (state: State) => Built | null
}

/** Chooses the next user transactions. */
export type Chooser<Built> = {
  /** Builds a transaction that the state allows and that has a type accepted by `suits`; null if several tries found none. */
  next(suits?: (type: string) => boolean): Built | null
}

/**
 * Draws kinds by their weights. Kinds that have not been used in the current era are tried first, so that short chains contain all of them.
 */
export function createChooser<State extends { readonly network: NetworkState }, Built>(
  state: State,
  kinds: readonly Kind<State, Built>[],
): Chooser<Built> {
  const { network } = state
  let accepted = createUrn<Kind<State, Built>>([])
  let missing: readonly Kind<State, Built>[] = []
  let era = ''
  const refresh = (): void => {
    if (era === network.era.name) return
    era = network.era.name
    missing = kinds.filter((kind) => {
      return since(network.era, kind.since) && (kind.until === undefined || !since(network.era, kind.until))
    })
    accepted = createUrn(missing)
  }
  const build = (kind: Kind<State, Built>): Built | null => {
    const built = kind.build(state)
    if (built !== null && missing.includes(kind)) missing = missing.filter((other) => other !== kind)
    return built
  }
  const tryDrawn = (urn: Urn<Kind<State, Built>>): Built | null => {
    for (let tries = 0; tries < 8 && urn.kinds.length > 0; tries += 1) {
      const built = build(draw(network, urn))
      if (built !== null) return built
    }
    return null
  }
  return {
    next: (suits) => {
      refresh()
      const urn = suits === undefined ? accepted : createUrn(accepted.kinds.filter(({ type }) => suits(type)))
      const first = suits === undefined ? missing : missing.filter(({ type }) => suits(type))
      if (first.length > 0 && network.random.oneIn(2)) {
        const built = build(network.random.pick(first))
        if (built !== null) return built
      }
      return tryDrawn(urn)
    },
  }
}

type Weighted = { readonly weight: number }
type Urn<K extends Weighted> = { readonly kinds: readonly K[]; readonly weight: number }

function createUrn<K extends Weighted>(kinds: readonly K[]): Urn<K> {
  return { kinds, weight: kinds.reduce((sum, { weight }) => sum + weight, 0) }
}

function draw<K extends Weighted>({ random }: NetworkState, { kinds, weight }: Urn<K>): K {
  let left = random.below(weight)
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return kinds[0]!
}
