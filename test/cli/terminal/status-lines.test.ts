import { expect, test } from 'vitest'
import { createStatusLines } from '../../../src/cli/terminal/status-lines.ts'
import { canRedraw } from '../../../src/cli/terminal/terminal.ts'

test('lines are replaced in place, also after the terminal became narrower', () => {
  const written: string[] = []
  const terminal = { width: 40 }
  const lines = createStatusLines({ write: (text) => written.push(text), width: () => terminal.width })
  lines.show(['one '.repeat(9).trim(), 'two'])
  lines.show(['one '.repeat(9).trim(), 'two'])
  terminal.width = 10
  lines.show(['three'])
  lines.clear()
  lines.clear()
  expect(written).toEqual([
    'one one one one one one one one one\ntwo',
    // 35 letters are four lines of 10.
    '\r\u001b[4A\u001b[Jthree',
    '\r\u001b[J',
  ])
})

test('a line is shorter than the terminal, and shows that it was cut', () => {
  const written: string[] = []
  createStatusLines({ write: (text) => written.push(text), width: () => 10 }).show(['0123456789'])
  expect(written).toEqual(['01234567…'])
})

test('an exit in the middle of the work clears the lines, and lines that were cleared leave no listener', () => {
  const written: string[] = []
  const before = process.listeners('exit')
  const lines = createStatusLines({ write: (text) => written.push(text), width: () => 10 })
  lines.show(['one'])
  const [atExit] = process.listeners('exit').filter((listener) => !before.includes(listener))
  atExit!(0)
  expect(written.at(-1)).toBe('\r\u001b[J')
  lines.clear()
  expect(process.listeners('exit')).toEqual(before)
})

test('a dumb terminal, a file and a pipe show no lines that change', () => {
  expect(canRedraw({ isTTY: true }, { TERM: 'xterm' })).toBe(true)
  expect(canRedraw({ isTTY: true }, {})).toBe(true)
  expect(canRedraw({ isTTY: true }, { TERM: 'dumb' })).toBe(false)
  expect(canRedraw({}, { TERM: 'xterm' })).toBe(false)
})
