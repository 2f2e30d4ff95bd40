import { randomUUID } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.ts'
import { createRateLimit, type RateLimit, type RateLimitOptions } from '../../fetch/rate-limit.ts'
import { createSharedLimit, type SharedState } from '../../fetch/shared-limit.ts'
import type { ServiceProfile } from '../../sources/service-profile.ts'
import { accountOf, createDailyBudgets, type DailyBudgets, type HostName } from './daily-budget.ts'

/** What hosts grant, by the minute and by the day: counted with other processes where the lake lets them. */
export type ServiceAccounts = {
  readonly budgets: DailyBudgets['hosts']
  /** The rate limit of a host. Nothing is asked of it before `countIn`. */
  readonly rateLimit: (host: HostName, options: RateLimitOptions) => RateLimit
  /** Says which lake counts: before anything is asked. */
  readonly countIn: (catalog: Pick<Catalog, 'units' | 'limits'>) => void
  /** Gives what was taken and not used back to the lake. */
  readonly settle: () => Promise<void>
}

export function createServiceAccounts(profile: ServiceProfile): ServiceAccounts {
  const budgets = createDailyBudgets(profile)
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
      let open: RateLimit | undefined
      const limit = (): RateLimit => {
        open ??= limits === null ? createRateLimit(options) : share(limits.of(accountOf(profile, host)), options)
        return open
      }
      return {
        refusals: options.refusals ?? [],
        acquire: (...asked) => limit().acquire(...asked),
        report: (...told) => limit().report(...told),
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
