import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { createLake } from './lake.ts'

const folder = mkdtempSync(join(tmpdir(), 'chainlake-units-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let lakes = 0
const newLake = () => createLake({ folder: join(folder, String(lakes++)) }, [])

const minute = 60_000
const hour = 60 * minute
const start = Date.parse('2026-11-21T10:04:00Z')
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
})
afterEach(() => {
  vi.useRealTimers()
})

const account = { origin: 'https://data.example', key: 'abc' }
const asking = { account, perDay: 1000, least: 10, share: 100, unused: null }

describe('daily compute units', () => {
  test('are granted in shares until they are spent, and become free one day later', async () => {
    const { units } = await newLake()
    for (let taken = 0; taken < 6; taken++) expect(await units.take(asking)).toMatchObject({ units: 100 })
    vi.setSystemTime(start + hour)
    for (let taken = 0; taken < 4; taken++) expect(await units.take(asking)).toMatchObject({ units: 100 })
    expect(await units.spent(account)).toBe(1000)
    // The first units expire a day after the end of their ten minutes.
    const resumeAtMs = Date.parse('2026-11-22T10:10:00Z')
    expect(await units.take(asking)).toEqual({ resumeAtMs })
    vi.setSystemTime(resumeAtMs - 1)
    expect(await units.take(asking)).toEqual({ resumeAtMs })
    vi.setSystemTime(resumeAtMs)
    expect(await units.take(asking)).toMatchObject({ units: 100 })
    expect(await units.spent(account)).toBe(500)
  })

  test('are granted up to the rest of the day, and a request above the daily limit is refused', async () => {
    const { units } = await newLake()
    await units.take({ ...asking, share: 970 })
    expect(await units.take({ ...asking, least: 20 })).toMatchObject({ units: 30 })
    expect(await units.take(asking)).toHaveProperty('resumeAtMs')
    await expect(units.take({ ...asking, least: 1001 })).rejects.toMatchObject({ code: 'config.units-per-day' })
  })

  test('are counted per key and host and shared by all programs that open the lake', async () => {
    const lake = join(folder, String(lakes++))
    const { units } = await createLake({ folder: lake }, [])
    await units.take({ ...asking, share: 1000 })
    const { units: other } = await openCatalog({ folder: lake }, [])
    expect(await other.take(asking)).toHaveProperty('resumeAtMs')
    for (const free of [
      { ...account, key: 'none' },
      { ...account, origin: 'https://metrics.example' },
    ])
      expect(await other.take({ ...asking, account: free })).toMatchObject({ units: 100 })
  })

  test('are returned to the time they were taken from if unspent', async () => {
    const { units } = await newLake()
    const taken = await units.take({ ...asking, share: 1000 })
    if ('resumeAtMs' in taken) throw new Error('no units')
    vi.setSystemTime(start + hour)
    await units.giveBack(account, { ...taken, units: 400 })
    expect(await units.spent(account)).toBe(600)
    expect(await units.take({ ...asking, unused: { ...taken, units: 100 } })).toMatchObject({ units: 100 })
    expect(await units.spent(account)).toBe(600)
    // More than a day later, the units have expired, so there is nothing to return them to.
    vi.setSystemTime(start + 26 * hour)
    expect(await units.take({ ...asking, unused: taken })).toMatchObject({ units: 100 })
    expect(await units.spent(account)).toBe(100)
  })

  test('are free at most one day later even if the clock was set back a year', async () => {
    const { units } = await newLake()
    await units.take({ ...asking, share: 1000 })
    vi.setSystemTime(start - 365 * 24 * hour)
    const refused = await units.take(asking)
    if (!('resumeAtMs' in refused)) throw new Error('units were given')
    expect(refused.resumeAtMs - Date.now()).toBeLessThanOrEqual(24 * hour + 10 * minute)
    vi.setSystemTime(refused.resumeAtMs)
    expect(await units.take(asking)).toMatchObject({ units: 100 })
  })
})
