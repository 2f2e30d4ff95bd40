import { describe, expect, test } from 'vitest'
import * as classes from '../../src/errors.ts'
import {
  ChainlakeError,
  HttpError,
  PostponedError,
  RateLimitError,
  RpcError,
  StreamTakenError,
} from '../../src/errors.ts'
import { errorParts, revivedError } from '../../src/run/error-parts.ts'

const options = {
  code: 'some.code',
  details: { height: 12n, path: 'P/block', isKnown: false, nobody: null },
  hint: 'Do this next.',
  kind: 'transient' as const,
}

/** The error as a thread transfers it. */
function passed(error: unknown): Error {
  return revivedError(structuredClone(errorParts(error)))
}

type SimpleClass = new (message: string, given: typeof options) => ChainlakeError
const special = ['ChainlakeError', 'HttpError', 'RateLimitError', 'RpcError', 'PostponedError', 'StreamTakenError']
const simple = Object.entries(classes).filter(([name]) => name.endsWith('Error') && !special.includes(name)) as [
  string,
  SimpleClass,
][]

describe('errors that pass between threads', () => {
  test.each(simple)('keep their class, fields and stack: %s', (_, Class) => {
    const error = new Class('It failed.', options)
    const revived = passed(error)
    expect(revived).toBeInstanceOf(Class)
    expect(Object.getPrototypeOf(revived)).toBe(Class.prototype)
    expect({ ...revived }).toEqual({ ...error })
    expect([revived.message, revived.name, revived.stack]).toEqual([error.message, error.name, error.stack])
  })

  test.each([
    new HttpError('It said 503.', 503, options),
    new RateLimitError('Too many.', 2000, options),
    new RateLimitError('Too many.', undefined),
    new RpcError('It refuses.', { code: -32000, answer: 'no such block' }, options),
    new PostponedError('Later.', new Date('2026-11-23T00:00:00.000Z'), options),
    new StreamTakenError('Another run has it.', ['local/P/block'], options),
    new ChainlakeError('Anything else.', 9, 'other', options),
  ])('keep the fields that only some classes have: $name', (error) => {
    const revived = passed(error)
    expect(Object.getPrototypeOf(revived)).toBe(Object.getPrototypeOf(error))
    expect({ ...revived }).toEqual({ ...error })
    expect((revived as ChainlakeError).exitCode).toBe(error.exitCode)
  })

  test('keep their causes and system error codes', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    const revived = passed(new classes.StorageError('The disk is full.', { cause: full }))
    expect(revived.cause).toMatchObject({ message: full.message, code: 'ENOSPC' })
    expect(passed('no error at all').message).toBe('no error at all')
    expect(passed(new RangeError('A mistake in the program.'))).toMatchObject({ name: 'RangeError' })
  })
})
