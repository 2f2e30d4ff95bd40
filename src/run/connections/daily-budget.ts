import { hash } from 'node:crypto'
import type { Catalog, SpendingAccount } from '../../catalog/catalog.ts'
import { PostponedError } from '../../errors.ts'
import { countText } from '../../lib/text/count-text.ts'
import type { UnitBudget } from '../../sources/service/service-client.ts'
import type { ServiceHost } from '../../sources/service/service-host.ts'

/** Daily budgets of the hosts. The lake counts the spent units, so that runs with the same key share a budget. */
export type DailyBudgets = {
  /** The budgets of the hosts that have one. */
  readonly hosts: Readonly<Record<string, UnitBudget>>
  /** Sets the lake that counts the units. Call it before the first request. */
  readonly countIn: (catalog: Pick<Catalog, 'units'>) => void
  /** Returns units that were reserved and not used to the lake. */
  readonly settle: () => Promise<void>
}

/** Reserved units must be spent within this time (milliseconds). */
const keepMs = 10 * 60_000

/** The account under which a lake counts the units of a host. */
export function accountOf({ url, secrets }: ServiceHost): SpendingAccount {
  return { origin: new URL(url).origin, key: secrets.length === 0 ? 'none' : fingerprint(secrets.join(' ')) }
}

/** Distinguishes keys without revealing them. */
function fingerprint(key: string): string {
  return hash('sha256', `chainlake key ${key}`, 'hex').slice(0, 16)
}

export function createDailyBudgets(hosts: readonly ServiceHost[]): DailyBudgets {
  let lake: Pick<Catalog, 'units'> | null = null
  const catalogOf = (): Pick<Catalog, 'units'> => {
    if (lake === null) throw new RangeError('Units cannot be reserved before the lake that counts them is set.')
    return lake
  }
  const budgets = hosts.flatMap((host) => {
    const { unitsPerDay: perDay } = host
    if (perDay === null) return []
    const perMinute = host.unitsPerMinute ?? perDay
    // At most the units of one minute, so that a run that crashes wastes few units.
    const share = Math.ceil(Math.min(perMinute, perDay / 20))
    return [[host.name, createBudget({ account: accountOf(host), perDay, share, catalogOf })] as const]
  })
  return {
    countIn: (catalog) => {
      lake = catalog
    },
    hosts: Object.fromEntries(budgets.map(([host, { take, back }]) => [host, { take, back }])),
    settle: async () => {
      for (const [, budget] of budgets) await budget.settle()
    },
  }
}

type BudgetOptions = {
  readonly account: SpendingAccount
  readonly perDay: number
  readonly share: number
  readonly catalogOf: () => Pick<Catalog, 'units'>
}

function createBudget({ account, perDay, share, catalogOf }: BudgetOptions) {
  /** Units reserved in the lake and not spent yet. */
  let taken = { periodMs: 0, units: 0 }
  /** When they were reserved (`performance.now()`). */
  let takenAtMs = 0
  /** The lake reported that no units are left until then (`performance.now()`). */
  let spentUntil = 0
  let resumeAtMs = 0
  let turn: Promise<void> = Promise.resolve()

  const takeNow = async (units: number): Promise<void> => {
    if (performance.now() < spentUntil) throw spent(account, perDay, resumeAtMs)
    // An old reservation counts for the time when it was made: return it and reserve units for now.
    if (taken.units < units || performance.now() - takenAtMs > keepMs) {
      const unused = taken.units > 0 ? taken : null
      taken = { periodMs: 0, units: 0 }
      const grant = await catalogOf().units.take({ account, perDay, least: units, share, unused })
      if ('resumeAtMs' in grant) {
        resumeAtMs = grant.resumeAtMs
        spentUntil = performance.now() + resumeAtMs - Date.now()
        throw spent(account, perDay, resumeAtMs)
      }
      taken = grant
      takenAtMs = performance.now()
    }
    taken = { ...taken, units: taken.units - units }
  }
  return {
    take: async (units: number): Promise<void> => {
      if (units === 0) return
      const mine = turn.then(() => takeNow(units))
      turn = mine.catch(() => undefined)
      return mine
    },
    back: (units: number): void => {
      taken = { ...taken, units: taken.units + units }
    },
    settle: async (): Promise<void> => {
      await turn
      const unused = taken
      taken = { periodMs: 0, units: 0 }
      if (unused.units > 0) await catalogOf().units.giveBack(account, unused)
    },
  }
}

function spent({ origin, key }: SpendingAccount, perDay: number, resumeAtMs: number): PostponedError {
  const account = key === 'none' ? 'without a key' : 'for this key'
  return new PostponedError(
    `The ${countText(perDay)} units that ${origin} grants per day ${account} are spent.`,
    new Date(resumeAtMs),
    {
      code: 'postponed.budget',
      details: { 'units-per-day': perDay },
      hint: 'Run again after that time, or set units-per-day in the profile to the quota of your key. `chainlake plan` shows how many units are left.',
    },
  )
}
