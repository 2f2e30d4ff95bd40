import type { Dialect } from '../../index/methods.ts'

/** Behaviour of the simulated network's REST service that the specification leaves open. */
export type ServiceSettings = {
  readonly dialect: Dialect
  /** Whether times exactly at `startTimestamp` and `endTimestamp` are included. */
  readonly bounds: 'inclusive' | 'exclusive'
}
