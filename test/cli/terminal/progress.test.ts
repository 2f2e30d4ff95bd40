import { expect, test } from 'vitest'
import { createProgress, progressText } from '../../../src/cli/terminal/progress.ts'

const state = { done: 1_000, total: 4_000, rows: 0, bytes: 2_000_000 }

test('progress shows no time left while the rate is unknown', () => {
  expect(progressText('p-blocks', state, undefined)).toBe('p-blocks  25%  1,000 of 4,000  2.0 MB')
})

test('the time left follows the rate', () => {
  expect(progressText('p-blocks', state, 100)).toBe('p-blocks  25%  1,000 of 4,000  100/s  2.0 MB  30 s left')
  expect(progressText('p-blocks', state, 0)).not.toContain('left')
})

test('a list of unknown length has no percentage', () => {
  const list = { done: 1_200, total: 0, rows: 1_190, bytes: 0 }
  expect(progressText('rewards', list, undefined)).toBe('rewards  1,200 so far  1,190 rows')
  expect(progressText('rewards', list, 2.54)).toBe('rewards  1,200 so far  2.5/s  1,190 rows')
})

test('the rate covers the last seconds, not the whole run', () => {
  let at = 0
  const written: string[] = []
  const progress = createProgress({ write: (text) => written.push(text), width: () => 200, now: () => at })
  let done = 0
  for (let second = 0; second < 60; second++) {
    at = second * 1_000
    done += second < 30 ? 1_000 : 10
    progress.update('p-blocks', { ...state, done, total: 100_000 })
  }
  expect(written.at(-1)).toContain('  10/s  ')
})

test('the most recently updated pipeline comes first, and ended jobs disappear', () => {
  const written: string[] = []
  let at = 0
  const progress = createProgress({ write: (text) => written.push(text), width: () => 200, now: () => at })
  const read = (done: number): void => {
    at += 1_000
    progress.update('rewards', { done, total: 0, rows: 7, bytes: 0 })
  }
  progress.update('p-blocks', state)
  read(100)
  expect(written.at(-1)).toMatch(/^rewards .* \| p-blocks /)
  read(40)
  read(50)
  expect(written.at(-1)).toMatch(/^rewards {2}50 so far {2}10\/s {2}7 rows \| /)
  progress.end()
  at += 1_000
  progress.update('tps', state)
  expect(written.at(-1)).toMatch(/^tps [^|]*$/)
})

test('log lines go above the progress line, and the end removes it', () => {
  const written: string[] = []
  const progress = createProgress({ write: (text) => written.push(text), width: () => 20, now: () => 0 })
  progress.above('early')
  progress.update('p-blocks', state)
  progress.above('late')
  progress.end()
  expect(written).toEqual([
    'early\n',
    'p-blocks  25%  1,00',
    '\r\u001b[2K',
    'late\n',
    'p-blocks  25%  1,00',
    '\r\u001b[2K',
  ])
})
