import { expect, test } from 'vitest'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import { createServiceAccounts } from '../../../src/run/connections/connections.ts'
import type { ServiceHost } from '../../../src/sources/service-profile.ts'

type Units = Catalog['units']

/** A budget with shares of 50 units, and a lake that counts units and refuses to while `isHeld`. */
function counted() {
  const lake = { units: 0, isHeld: false, meanwhile: () => {} }
  const units: Pick<Units, 'take' | 'giveBack'> = {
    take: async ({ least, share, unused }) => {
      lake.meanwhile()
      if (lake.isHeld) throw new Error('Another process holds the catalog.')
      const taken = Math.max(least, share)
      lake.units += taken - (unused?.units ?? 0)
      return { periodMs: 600_000, units: taken }
    },
    giveBack: async (_, unused) => {
      // The period of no grant: the lake has nothing to subtract from.
      if (unused.periodMs === 600_000) lake.units -= unused.units
    },
  }
  const host = { name: 'data', url: 'https://data.example', secrets: [], unitsPerMinute: null, unitsPerDay: 1_000 }
  const accounts = createServiceAccounts([host as unknown as ServiceHost])
  accounts.countIn({ units: units as Units, limits: null })
  return { lake, accounts, budget: accounts.budgets['data']! }
}

test.each([true, false])(
  'units that return while the lake is asked for more are not lost (refused: %s)',
  async (isHeld) => {
    const { lake, accounts, budget } = counted()
    await budget.take(30)
    lake.isHeld = isHeld
    lake.meanwhile = () => budget.back(30)
    const taking = budget.take(40).catch((error: Error) => error.message)
    expect(await taking).toBe(isHeld ? 'Another process holds the catalog.' : undefined)
    await accounts.settle()
    expect(lake.units).toBe(isHeld ? 0 : 40)
  },
)
