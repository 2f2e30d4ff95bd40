import { expect, test } from 'vitest'
import { type RunEvent, withoutRepeats } from '../../src/run/events.ts'

const about = (message: string, more: object = {}): RunEvent => ({ kind: 'warning', message, ...more })

test('a message marked as once is logged once, even over several runs of the same command', () => {
  const heard: RunEvent[] = []
  const listener = (event: RunEvent): void => void heard.push(event)
  for (let run = 0; run < 2; run++) {
    const emit = withoutRepeats(listener)
    for (let unit = 0; unit < 3; unit++) emit(about('the index begins late', { once: true }))
    emit({ kind: 'notice', message: 'the index is empty', once: true })
    emit(about('a page was damaged'))
  }
  const told = heard.map((event) => 'message' in event && event.message)
  expect(told).toEqual(['the index begins late', 'the index is empty', 'a page was damaged', 'a page was damaged'])
})

test('every listener gets a message marked as once', () => {
  const heard: string[] = []
  for (const name of ['a', 'b']) withoutRepeats(() => heard.push(name))(about('the index is empty', { once: true }))
  expect(heard).toEqual(['a', 'b'])
})
