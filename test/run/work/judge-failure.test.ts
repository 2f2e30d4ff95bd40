import { expect, test } from 'vitest'
import {
  CatalogError,
  CatalogUnreachableError,
  ConfigError,
  DecodeError,
  HttpError,
  LockedError,
  OtherSourceError,
  PostponedError,
  StorageError,
} from '../../../src/errors.ts'
import { lostWork } from '../../../src/run/jobs/fenced-catalog.ts'
import { rowsTaken } from '../../../src/run/rows/concurrent-commits.ts'
import { judgeFailure } from '../../../src/run/work/judge-failure.ts'

const again = { kind: 'again', renews: false }
const of = (code: string) => new CatalogError('It failed.', { code })

test.each([
  ['another worker has the task', lostWork('1'), { kind: 'lost' }],
  ['the database took the process for dead', of('catalog.run-ended'), { kind: 'again', renews: true }],
  ['the connection of its locks broke', of('catalog.lock-lost'), { kind: 'again', renews: true }],
  ['others covered some of it', of('catalog.overlap'), again],
  ['nobody knows whether its commit took place', of('catalog.unknown-outcome'), again],
  ['the catalog cannot be reached', new CatalogUnreachableError('It failed.'), again],
  ['others stored its rows', rowsTaken, again],
  ['the source fails', new HttpError('It failed.', 503), again],
  ['the source refuses this worker', new HttpError('It failed.', 403), again],
  ['this worker was told something wrong', new ConfigError('It failed.'), again],
  [
    'this worker has another version of a module',
    new ConfigError('It failed.', { code: 'work.definition' }),
    { kind: 'left' },
  ],
  ['somebody holds the catalog', new LockedError('It failed.', { retryable: true }), again],
  ['the disk of this machine is full', new StorageError('It failed.', { code: 'storage.full' }), again],
  ['a connection broke', Object.assign(new Error('It failed.'), { code: 'ECONNRESET' }), again],
  ['the bytes cannot be decoded', new DecodeError('It failed.'), { kind: 'never' }],
  ['the lake is of another chain', new OtherSourceError('It failed.'), { kind: 'never' }],
  ['the program has a mistake', new TypeError('It failed.'), { kind: 'never' }],
])('judgeFailure returns the expected verdict on a task when %s', (_, error, verdict) => {
  expect(judgeFailure(error)).toEqual(verdict)
})

test('a task that its source postpones resumes at the time that the source named', () => {
  const resumeAt = new Date('2026-11-24T00:00:00Z')
  expect(judgeFailure(new PostponedError('The budget is spent.', resumeAt))).toEqual({
    kind: 'later',
    postponed: { resumeAt: resumeAt.toISOString(), reason: 'The budget is spent.', hint: null },
  })
})
