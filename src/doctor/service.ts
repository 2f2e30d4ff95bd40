import type { Catalog } from '../catalog/catalog.ts'
import { createTransport } from '../fetch/transport.ts'
import { accountOf, type HostName } from '../run/connections/daily-budget.ts'
import type { ServiceProfile } from '../sources/service-profile.ts'
import { bad, type Check, checkOfError, good, notice } from './check.ts'
import { checkClock } from './clock.ts'
import { anyAnswer } from './node.ts'

/** Checks whether the hosts of a service answer, and how much of the daily budget is left. The checks of jobs find out what a key may do. */
export async function checkService(
  profile: ServiceProfile,
  catalog: Catalog | null,
  hosts: ReadonlySet<HostName>,
): Promise<Check[]> {
  const checks: Check[] = []
  for (const host of hosts) {
    const url = host === 'data' ? profile.dataUrl : profile.metricsUrl
    const transport = createTransport({ baseUrl: url, tries: 2 })
    const about = `service ${transport.url}`
    try {
      const answer = await anyAnswer(transport, '/')
      checks.push(keyCheck(about, profile, host), ...checkClock(about, answer))
      checks.push(...(await budgetChecks(about, profile, host, catalog)))
    } catch (error) {
      checks.push(checkOfError(about, error))
    } finally {
      await transport.close()
    }
  }
  return checks
}

function keyCheck(about: string, { name, key, keyHeader }: ServiceProfile, host: HostName): Check {
  const requested =
    host === 'metrics'
      ? 'it needs no key'
      : key === null
        ? 'requests are sent without a key'
        : `the key is sent as ${keyHeader}`
  return good(about, 'doctor.service', `It answers; profile ${name}, ${requested}.`)
}

async function budgetChecks(
  about: string,
  profile: ServiceProfile,
  host: HostName,
  catalog: Catalog | null,
): Promise<Check[]> {
  const perDay = profile.unitsPerDay[host]
  if (perDay === null) return []
  const spent = catalog === null ? 0 : await catalog.units.spent(accountOf(profile, host))
  const left = Math.max(0, perDay - spent)
  const says = `${left} of the ${perDay} compute units per 24 hours are left.`
  const todo = 'Wait until the budget recovers, or use a key with a larger budget and set units-per-day in the profile.'
  if (left === 0) return [bad(about, 'postponed.budget', says, todo, 7)]
  return [left < perDay / 10 ? notice(about, 'doctor.budget', says, todo) : good(about, 'doctor.budget', says)]
}
