import { expect, test } from 'vitest'
import { errorFacts, errorText, exitCodeOf } from '../../../src/cli/terminal/error-text.ts'
import { ConfigError, HttpError, LockedError } from '../../../src/errors.ts'

test('an error text has a message, facts and a hint', () => {
  const error = new LockedError('Another run holds the stream.', {
    details: { stream: 'local/P/block', process: 12, since: undefined },
    hint: 'Wait until it ends.',
    cause: new Error('lock is\n  held'),
  })
  expect(errorText(error)).toBe(
    [
      'error: Another run holds the stream.',
      '  stream: local/P/block',
      '  process: 12',
      '  cause: lock is held',
      'hint: Wait until it ends.',
    ].join('\n'),
  )
})

test('a cause that the message already contains is not repeated', () => {
  expect(errorText(new ConfigError('Bad: no such thing', { cause: new Error('no such thing') }))).toBe(
    'error: Bad: no such thing',
  )
})

test('an unexpected error has exit code 1 and the code unexpected', () => {
  const error = new TypeError('x is\nnot a function')
  expect(errorText(error).split('\n').slice(0, 2)).toEqual(['error: x is', '  not a function'])
  expect(exitCodeOf(error)).toBe(1)
  expect(errorFacts(error).code).toBe('unexpected')
})

test('exit codes follow the error class', () => {
  expect(exitCodeOf(new ConfigError('x'))).toBe(2)
  expect(exitCodeOf(new HttpError('x', 503))).toBe(3)
  expect(exitCodeOf(new LockedError('x'))).toBe(5)
})
