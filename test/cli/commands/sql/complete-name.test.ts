import { expect, test } from 'vitest'
import { completeName } from '../../../../src/cli/commands/sql/complete-name.ts'

const tables = [
  { name: 'p_blocks', columns: ['height', 'block_id'] },
  { name: 'p_inputs', columns: ['height', 'amount'] },
]
const complete = (line: string, statement = '') =>
  completeName(line, { statement, tables, commands: ['.mode', '.tables', '.timer'] })

test.each([
  ['select * from p_', ['p_blocks', 'p_inputs'], 'p_'],
  ['select am', ['amount'], 'am'],
  ['from p_blocks select am', [], 'am'],
  ['from p_blocks select h', ['height'], 'h'],
  ['select p_inputs.a', ['p_inputs.amount'], 'p_inputs.a'],
  ['select other.a', [], 'other.a'],
  ['.t', ['.tables', '.timer'], '.t'],
  ['select * from ', [], ''],
])('%j is completed by %j', (line, found, word) => expect(complete(line)).toEqual([found, word]))

test('columns follow from the tables of earlier lines of the statement', () => {
  expect(complete('where a', 'select * from p_inputs\n')).toEqual([['amount'], 'a'])
})
