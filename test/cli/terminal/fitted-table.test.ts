import { expect, test } from 'vitest'
import { textTable } from '../../../src/cli/terminal/tables.ts'

const rows = [
  ['p_blocks', '12', 'blocks of the P-Chain, one row for each block'],
  ['c_logs', '3', 'logs'],
]

test('breaks the last column between words in a terminal', () => {
  expect(textTable(['name', '>rows', 'description'], rows, 40)).toBe(
    `name      rows  description
p_blocks    12  blocks of the P-Chain,
                one row for each block
c_logs       3  logs`,
  )
})

test('breaks nothing without a terminal', () => {
  expect(textTable(['name', '>rows', 'description'], rows, undefined)).toBe(
    `name      rows  description
p_blocks    12  blocks of the P-Chain, one row for each block
c_logs       3  logs`,
  )
})
