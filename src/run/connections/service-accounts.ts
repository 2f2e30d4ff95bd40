import { randomUUID } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.ts'
import { createRateLimit, type RateLimit, type RateLimitOptions } from '../../fetch/rate-limit.ts'
import { createSharedLimit, type SharedState } from '../../fetch/shared-limit.ts'
import type { ServiceHost } from '../../sources/service/service-host.ts'
import { accountOf, createDailyBudgets, type DailyBudgets } from './daily-budget.ts'

/** Rate limits and daily budgets of hosts. Processes share them where the lake supports that. */
export type ServiceAccounts = {
  readonly budgets: DailyBudgets['hosts']
  /** The rate limit of a host: its own for each process before `countIn`. */
  readonly rateLimit: (host: string, options: RateLimitOptions) => RateLimit
  /** Sets the lake that counts requests. Call it before the first request that costs units. */
  readonly countIn: (catalog: Pick<Catalog, 'units' | 'limits'>) => void
  /** Returns units that were reserved and not used to the lake. */
  readonly settle: () => Promise<void>
}

export function createServiceAccounts(hosts: readonly ServiceHost[]): ServiceAccounts {
  const budgets = createDailyBudgets(hosts)
  const accounts = new Map(hosts.map((host) => [host.name, accountOf(host)]))
  const settles = [budgets.settle]
  let limits: Catalog['limits'] = null
  const share = (state: SharedState, options: RateLimitOptions): RateLimit => {
    const limit = createSharedLimit({ ...options, state, holder: randomUUID() })
    settles.push(limit.settle)
    return limit
  }
  return {
    budgets: budgets.hosts,
    rateLimit: (host, options) => {
      const account = accounts.get(host)
      let own: RateLimit | undefined
      let shared: RateLimit | undefined
      // Requests for facts of the streams precede the lake that counts the others.
      const limit = (): RateLimit => {
        if (limits !== null && account !== undefined) {
          shared ??= share(limits.of(account), options)
          return shared
        }
        own ??= createRateLimit(options)
        return own
      }
      return {
        refusals: options.refusals ?? [],
        acquire: (...args) => limit().acquire(...args),
        report: (...args) => limit().report(...args),
      }
    },
    countIn: (catalog) => {
      limits = catalog.limits
      budgets.countIn(catalog)
    },
    settle: async () => {
      for (const settle of settles) await settle()
    },
  }
}
