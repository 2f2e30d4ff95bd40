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
import { judgeFailure } from '../../../src/run/work/run-task.ts'

const again = { kind: 'retry', renews: false }
const of = (code: string) => new CatalogError('It failed.', { code })

test.each([
  ['the database took the process for dead', of('catalog.run-ended'), { kind: 'retry', renews: true }],
  ['the connection of its locks broke', of('catalog.lock-lost'), { kind: 'retry', renews: true }],
  ['others covered some of it', of('catalog.overlap'), again],
  ['nobody knows whether its commit took place', of('catalog.unknown-outcome'), again],
  ['the catalog cannot be reached', new CatalogUnreachableError('It failed.'), again],
  ['others stored its rows', of('catalog.conflict'), again],
  ['the source fails', new HttpError('It failed.', 503), again],
  ['the source refuses this worker', new HttpError('It failed.', 403), again],
  ['this worker was told something wrong', new ConfigError('It failed.'), again],
  [
    'this worker has another version of a module',
    new ConfigError('It failed.', { code: 'work.definition' }),
    { kind: 'unfit' },
  ],
  ['somebody holds the catalog', new LockedError('It failed.'), again],
  ['the disk of this machine is full', new StorageError('It failed.', { code: 'storage.full' }), again],
  ['a connection broke', Object.assign(new Error('It failed.'), { code: 'ECONNRESET' }), again],
  ['the bytes cannot be decoded', new DecodeError('It failed.'), { kind: 'failed' }],
  ['the lake is of another chain', new OtherSourceError('It failed.'), { kind: 'failed' }],
  ['the program has a mistake', new TypeError('It failed.'), { kind: 'failed' }],
])('judgeFailure returns the expected verdict on a task when %s', (_, error, verdict) => {
  expect(judgeFailure(error)).toEqual(verdict)
})

test('a task that its source postpones resumes at the time that the source named', () => {
  const resumeAt = new Date('2026-11-24T00:00:00Z')
  expect(judgeFailure(new PostponedError('The budget is spent.', resumeAt))).toEqual({
    kind: 'postponed',
    postponed: { resumeAt: resumeAt.toISOString(), reason: 'The budget is spent.', hint: null },
  })
})
