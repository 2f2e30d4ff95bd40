import type { Catalog } from '../catalog/catalog.ts'
import { createTransport } from '../fetch/transport.ts'
import { accountOf } from '../run/connections/daily-budget.ts'
import type { ServiceHost } from '../sources/service/service-host.ts'
import { bad, type Check, checkOfError, good, notice } from './check.ts'
import { checkClock } from './clock.ts'
import { anyAnswer } from './node.ts'

/** Checks whether hosts answer, and how much of their daily budget is left. The checks of jobs find out what a key may do. */
export async function checkHosts(hosts: readonly ServiceHost[], catalog: Catalog | null): Promise<Check[]> {
  const checks: Check[] = []
  for (const host of hosts) {
    const transport = createTransport({ baseUrl: host.url, tries: 2 })
    const about = `service ${transport.url}`
    try {
      const answer = await anyAnswer(transport, '/')
      checks.push(good(about, 'doctor.service', `It answers; ${headersText(host)}.`), ...checkClock(about, answer))
      checks.push(...(await budgetChecks(about, host, catalog)))
    } catch (error) {
      checks.push(checkOfError(about, error))
    } finally {
      await transport.close()
    }
  }
  return checks
}

function headersText({ name, headers }: ServiceHost): string {
  if (name === 'metrics') return 'it needs no key'
  const names = Object.keys(headers)
  if (names.length === 0) return 'requests are sent without a key'
  return `requests carry ${names.join(', ')}`
}

async function budgetChecks(about: string, host: ServiceHost, catalog: Catalog | null): Promise<Check[]> {
  const { unitsPerDay: perDay } = host
  if (perDay === null) return []
  const spent = catalog === null ? 0 : await catalog.units.spent(accountOf(host))
  const left = Math.max(0, perDay - spent)
  const says = `${left} of the ${perDay} units per 24 hours are left.`
  const todo = 'Wait until the budget recovers, or use a key with a larger budget and set units-per-day.'
  if (left === 0) return [bad(about, 'postponed.budget', says, todo, 7)]
  return [left < perDay / 10 ? notice(about, 'doctor.budget', says, todo) : good(about, 'doctor.budget', says)]
}
