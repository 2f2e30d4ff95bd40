import fc from 'fast-check'
import { expect, test } from 'vitest'
import { givenTimeNs, rfc3339ToNs, rfc3339ToSeconds } from '../../src/lib/time.ts'

test.each([
  ['1970-01-01T00:00:00Z', 0n],
  ['1970-01-01T00:00:00.000000001Z', 1n],
  ['2026-11-21T08:35:18.491391468Z', BigInt(Date.UTC(2026, 10, 21, 8, 35, 18)) * 1_000_000n + 491_391_468n],
  ['2021-04-02T15:34:00.262979-07:00', BigInt(Date.UTC(2021, 3, 2, 22, 34)) * 1_000_000n + 262_979_000n],
  ['2026-07-28t15:00:00.5+05:45', BigInt(Date.UTC(2026, 6, 28, 9, 15)) * 1_000_000n + 500_000_000n],
  ['1969-12-31T23:59:59.999999999Z', -1n],
  ['0001-01-01T00:00:00Z', -62_135_596_800_000_000_000n],
  ['9999-12-31T23:59:59z', 253_402_300_799_000_000_000n],
])('%s', (text, expected) => {
  expect(rfc3339ToNs(text)).toBe(expected)
})

test.each([
  '',
  '2026-11-21',
  '2026-11-21T08:35:18',
  '2026-11-21 08:35:18Z',
  '2026-11-21T08:35:18.Z',
  '2026-11-21T08:35:18.0123456789Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T08:60:00Z',
  '2026-11-21T08:35:60Z',
  '2026-02-29T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-13-10T00:00:00Z',
  '2026-11-00T00:00:00Z',
  '2026-11-21T08:35:18+0100',
  '2026-11-21T08:35:18+24:00',
  '2026-11-21T08:35:18Z ',
  'x026-11-21T08:35:18Z',
  '2026-11-21T08:35:18.1é',
])('%j is not a valid time', (text) => {
  expect(rfc3339ToNs(text)).toBeNull()
  expect(rfc3339ToSeconds(text)).toBeNull()
})

test('the parser agrees with Date for every instant and zone and keeps nanoseconds', () => {
  const instants = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
  fc.assert(
    fc.property(
      instants,
      fc.integer({ min: 0, max: 999_999 }),
      fc.integer({ min: -1439, max: 1439 }),
      (date, ns, zone) => {
        const local = new Date(date.getTime() + zone * 60_000).toISOString().slice(0, -1)
        const pad = (value: number) => String(value).padStart(2, '0')
        const offset = `${zone < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(zone) / 60))}:${pad(Math.abs(zone) % 60)}`
        const text = `${local}${String(ns).padStart(6, '0')}${offset}`
        expect(rfc3339ToNs(text)).toBe(BigInt(date.getTime()) * 1_000_000n + BigInt(ns))
        expect(rfc3339ToSeconds(text)).toBe(Math.floor(date.getTime() / 1000))
      },
    ),
  )
})

test.each([
  ['2026-11-25', Date.UTC(2026, 10, 25)],
  ['2026-11-25T08:06Z', Date.UTC(2026, 10, 25, 8, 6)],
  ['2026-11-25 08:06', Date.UTC(2026, 10, 25, 8, 6)],
  ['2026-11-25 08:03:20', Date.UTC(2026, 10, 25, 8, 3, 20)],
  ['2026-11-25T08:03:20.5Z', Date.UTC(2026, 10, 25, 8, 3, 20, 500)],
  ['2026-11-25t08:03+02:00', Date.UTC(2026, 10, 25, 6, 3)],
])('a user may give the time %s', (text, ms) => expect(givenTimeNs(text)).toBe(BigInt(ms) * 1_000_000n))

test.each(['2026-11', '2026-11-25T08', '2026-11-25 8:03', '2026-11-25T08:06.5', '2026-11-25Z', '25.11.2026', '08:06'])(
  '%j is no time',
  (text) => expect(givenTimeNs(text)).toBeNull(),
)
