import { eras, since } from '../network/eras.ts'
import type { PState } from './state.ts'

/**
 * Advances the clock by some seconds. When the next era is due, the clock jumps to its time, unless a stake ends earlier: such stakes are
 * ended first. Since Banff, the chain's time equals the clock, which stops at every end of a stake.
 */
export function moveClock(state: PState): void {
  const { network } = state
  const end = state.stakes.firstTime()
  const next = eras[eras.indexOf(network.era) + 1]
  const due = next !== undefined && network.pHeight >= next.from
  const wanted = due ? next.time : network.clock + network.random.between(1, 40)
  const limit = next === undefined || due ? wanted : Math.min(wanted, next.time - 1)
  if (since(network.era, 'banff')) {
    network.clock = Math.max(network.clock, Math.min(limit, end))
    state.chainTime = network.clock
  } else {
    network.clock = Math.max(network.clock, limit)
  }
  if (due && network.clock >= next.time && caughtUp(state, next.time)) network.era = next
}

/** Whether no stake ends before an era begins. Before Banff, proposals make the chain's time follow the clock. */
function caughtUp({ stakes, network, chainTime }: PState, time: number): boolean {
  return stakes.firstTime() > chainTime && (!since(network.era, 'apricot5') || chainTime >= time)
}
