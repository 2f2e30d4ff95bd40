import type { Route } from '../http/router.ts'
import type { Ledgers, ServiceSource } from './ledgers/ledgers.ts'
import { type ServiceOptions, serviceDefaults } from './options.ts'
import { limitControl } from './plumbing/control.ts'
import { createLimits } from './plumbing/limits.ts'
import { createPager } from './plumbing/pages.ts'
import { totalsOfRoutes } from './plumbing/route.ts'
import { serveRoutes } from './plumbing/serve.ts'
import { createTokens } from './plumbing/tokens.ts'
import { createPrimarySummary } from './primary/counts/summary.ts'
import { serviceRoutes } from './routes.ts'
import { listsOf } from './summary/lists.ts'
import { summaryRoutes } from './summary/routes.ts'
import { summaryAt } from './summary/summary.ts'

/** The REST service for the chains of the simulated network. The data host and the metrics host share a port. */
export function createService(source: ServiceSource, ledgers: Ledgers, options: ServiceOptions): Route[] {
  const { limits: limitOptions, lifeMs, tokenEnd, settings, presentOnly } = serviceDefaults(options)
  const primary = createPrimarySummary(ledgers.primary)
  const limits = createLimits(limitOptions)
  const pager = createPager(createTokens(lifeMs))
  const all = serviceRoutes(ledgers)
  const routes = all.filter(({ past }) => !(past && presentOnly))
  const summary = summaryAt(source, ledgers, primary, () => totalsOfRoutes(all, settings.dialect))
  return [
    limitControl(limits),
    ...summaryRoutes({ summary, lists: listsOf(ledgers, primary) }),
    serveRoutes(routes, { settings, limits, pager, tokenEnd }),
  ]
}
