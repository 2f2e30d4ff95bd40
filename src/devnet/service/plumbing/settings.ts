import type { Dialect } from '../../index/methods.ts'

/** How the REST service of the simulated network behaves where the specification leaves it open. */
export type ServiceSettings = {
  readonly dialect: Dialect
  /** Whether `startTimestamp` and `endTimestamp` themselves are in. */
  readonly bounds: 'inclusive' | 'exclusive'
}
