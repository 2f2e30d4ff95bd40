import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkClock } from '../../src/doctor/check-job.ts'
import { checkDisk, checkMemory, checkNodeVersion, checkRoom } from '../../src/doctor/examine.ts'
import { packageRoot } from '../../src/lib/package.ts'

describe('the check of the Node.js version', () => {
  test.each([
    ['24.1.0', 'good'],
    ['22.9.0', 'notice'],
    ['20.19.0', 'notice'],
    ['20.18.3', 'bad'],
    ['18.20.1', 'bad'],
  ])('of %s is %s', (version, verdict) => {
    expect(checkNodeVersion(version)).toMatchObject({ verdict, exitCode: verdict === 'bad' ? 2 : 0 })
  })

  test('accepts the version of this process', () => {
    expect(checkNodeVersion().verdict).not.toBe('bad')
  })
})

describe('memory', () => {
  const gigabyte = 2 ** 30
  test.each([
    [{ total: 8 * gigabyte, limit: 0, available: 4 * gigabyte }, 'good', 'the machine has 8,192 MiB'],
    [
      { total: 8 * gigabyte, limit: 0, available: gigabyte / 4 },
      'notice',
      '256 MiB are free; a run takes up to 512 MiB.',
    ],
    [{ total: 8 * gigabyte, limit: gigabyte / 4, available: gigabyte / 4 }, 'bad', 'limit of the container (cgroup)'],
    [{ total: 8 * gigabyte, limit: gigabyte, available: gigabyte }, 'good', 'limit of the container (cgroup)'],
    [{ total: gigabyte / 4, limit: 0, available: gigabyte / 4 }, 'bad', 'the machine has'],
  ])('%j is %s', (memory, verdict, says) => {
    expect(checkMemory(memory)).toMatchObject({ verdict, says: expect.stringContaining(says) })
  })
})

describe('the disk', () => {
  const space = { freeBytes: 50e9, totalBytes: 100e9, freeFiles: 1000, kind: 0xef53 }
  const verdicts = (given: Partial<typeof space> & { freeFiles?: number | null }) =>
    [...checkDisk('/', { ...space, ...given })].map(({ verdict, code }) => `${verdict} ${code}`)

  test('is good with enough space', () => expect(verdicts({})).toEqual(['good doctor.disk']))
  test.each([
    [{ freeBytes: 1e6 }, ['bad storage.space']],
    [{ freeFiles: 0 }, ['bad storage.inodes']],
    [{ kind: 0x6969 }, ['notice doctor.file-system', 'good doctor.disk']],
    [{ kind: 0xfe534d42 }, ['notice doctor.file-system', 'good doctor.disk']],
    [{ kind: 0x01021994 }, ['notice doctor.file-system', 'good doctor.disk']],
    [{ totalBytes: 0 }, ['notice doctor.disk']],
  ])('%j is %j', (given, expected) => {
    expect(verdicts(given)).toEqual(expected)
  })

  test('has a bad verdict if the jobs would write more than is free', () => {
    expect(checkRoom(10e9, '/', space)).toMatchObject([{ verdict: 'good' }])
    expect(checkRoom(60e9, '/', space)).toMatchObject([
      { verdict: 'bad', exitCode: 5, says: 'The jobs would write about 60.0 GB; 50.0 GB are free.' },
    ])
  })

  test('reports a folder that cannot be created', () => {
    expect([...checkDisk(join(packageRoot(), 'package.json', 'lake'), space)][0]).toMatchObject({
      verdict: 'bad',
      code: 'storage.read-only',
      says: expect.stringMatching(/package\.json is a file, not a folder\.$/),
      exitCode: 5,
    })
  })
})

describe('the clock', () => {
  const now = Date.parse('2026-11-22T10:00:00Z')
  const at = (date: string | undefined) => checkClock({ headers: date === undefined ? {} : { date } }, now)

  test('is good if it agrees, and is not checked without a valid time', () => {
    expect(at('Sun, 22 Nov 2026 09:59:50 GMT')).toMatchObject([{ verdict: 'good' }])
    expect(at(undefined)).toEqual([])
    expect(at('tomorrow')).toEqual([])
  })
  test.each([
    ['Sun, 22 Nov 2026 09:55:00 GMT', 'The clock of this machine is 5 min 00 s ahead of its clock.'],
    ['Sun, 22 Nov 2026 12:00:00 GMT', 'The clock of this machine is 2 h 00 min behind its clock.'],
  ])('%s', (date, says) => {
    expect(at(date)).toMatchObject([{ verdict: 'notice', says }])
  })
})
