import { expect, test } from 'vitest'
import { textTable } from '../../../src/cli/terminal/tables.ts'

test('tables are aligned, with numbers to the right and no trailing spaces', () => {
  expect(
    textTable(
      ['name', '>rows'],
      [
        ['a', '1'],
        ['longer', '1,234'],
      ],
    ),
  ).toBe(['name     rows', 'a           1', 'longer  1,234'].join('\n'))
})
