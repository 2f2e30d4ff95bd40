import { createRequire } from 'node:module'
import { expect, test, vi } from 'vitest'
import { errorFacts, errorText, exitCodeOf, handleClosedPipes } from '../../../src/cli/terminal/terminal.ts'
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

test('a cause is not repeated after a fact that says it, or after the number of tries', () => {
  const cause = new Error('http://node/ is not found (404).')
  const fact = new ConfigError('The node does not report its network.', { details: { answer: cause.message }, cause })
  expect(errorText(fact)).not.toContain('cause:')
  expect(errorText(new HttpError('http://node/ is not found (404) (4 tries).', 404, { cause }))).not.toContain('cause:')
})

test.each([
  ['ENOENT: no such file or directory, open x', 'ENOENT: no such file or directory, open x', []],
  ['no such file', 'ENOENT: no such file or directory, open x', []],
  ['EACCES', 'EACCES: permission denied, open x', ['  cause: EACCES: permission denied, open x']],
])('a cause is not repeated after the reason %s, unless it says more', (reason, cause, shown) => {
  const error = new ConfigError('The file x cannot be read.', { details: { reason }, cause: new Error(cause) })
  expect(errorText(error).split('\n').slice(2)).toEqual(shown)
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

test('a package of chainlake that is not installed is named', () => {
  const load = (name: string) => createRequire('/usr/lib/x.js').resolve(name)
  const error = thrownBy(() => load('@duckdb/node-bindings-plan9-x64/duckdb.node'))
  error.stack = `Error: at (${import.meta.dirname}/node_modules/@duckdb/x.js:1:2)`
  expect(errorFacts(error)).toMatchObject({
    code: 'config.package',
    message: 'The package @duckdb/node-bindings-plan9-x64 is not installed.',
    hint: expect.stringContaining('npm install --include=optional'),
  })
  expect(errorText(error)).toMatch(/^error: The package @duckdb\/node-bindings-plan9-x64 is not installed\.\nhint: /)
  expect(exitCodeOf(error)).toBe(2)
})

test('stdout that cannot be written ends the command with one sentence', () => {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never)
  const before = { out: process.stdout.listeners('error'), err: process.stderr.listeners('error') }
  handleClosedPipes()
  process.stdout.emit('error', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }))
  expect(said.join('')).toMatch(
    /^error: The output cannot be written to stdout\.\n {2}reason: ENOSPC: no space left on device, write\nhint: /,
  )
  expect(exit).toHaveBeenCalledWith(5)
  vi.restoreAllMocks()
  for (const listener of process.stdout.listeners('error'))
    if (!before.out.includes(listener)) process.stdout.off('error', listener as () => void)
  for (const listener of process.stderr.listeners('error'))
    if (!before.err.includes(listener)) process.stderr.off('error', listener as () => void)
})

function thrownBy(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    return error as Error
  }
  return expect.fail('nothing was thrown')
}
