import { afterEach, expect, test, vi } from 'vitest'
import { hasTerminalClosed, untilSignal } from '../../../src/cli/terminal/terminal.ts'

afterEach(() => vi.restoreAllMocks())

/** Sends signals to this process while a command works until the first of them. Resolves to its exit code. */
function stoppedBy(...signals: readonly NodeJS.Signals[]): Promise<number> {
  return untilSignal(async ({ signal }) => {
    for (const name of signals) process.emit(name)
    expect(signal.aborted).toBe(true)
    return undefined
  })
}

test('SIGHUP stops a command like SIGTERM, with its own exit code', async () => {
  expect(await stoppedBy('SIGHUP')).toBe(129)
  expect(await stoppedBy('SIGTERM')).toBe(143)
})

test('SIGHUP does not end a command that is stopping: a terminal that closes sends it twice', async () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  expect(await stoppedBy('SIGHUP', 'SIGHUP')).toBe(129)
  expect(await stoppedBy('SIGTERM', 'SIGHUP')).toBe(143)
  expect(exit).not.toHaveBeenCalled()
  await stoppedBy('SIGHUP', 'SIGINT')
  expect(exit).toHaveBeenCalledWith(130)
})

test('only a terminal that has closed may lose the output of a command', () => {
  const failure = (code: string) => Object.assign(new Error(code), { code })
  expect(hasTerminalClosed(failure('EIO'), { isTTY: true })).toBe(true)
  expect(hasTerminalClosed(failure('ERR_STREAM_DESTROYED'), { isTTY: true })).toBe(true)
  expect(hasTerminalClosed(failure('EIO'), {})).toBe(false)
  expect(hasTerminalClosed(failure('ENOSPC'), { isTTY: true })).toBe(false)
})
