import { expect, test } from 'vitest'
import { gapsText } from '../../../src/cli/commands/show-status.ts'

const nothing = { ranges: [], lists: [], unread: [], acceptedRanges: [] }

test('a lake that misses nothing has no gaps', () => expect(gapsText(nothing)).toBe('No gaps.'))

test('missing ranges are shown, and lists that must be read again below them', () => {
  const gaps = [
    { stream: 'local/P/block', table: 'p_blocks', unit: 'heights', from: 1, to: 1_201 },
    { stream: 'local/tps', table: 'metrics_chain_tps', unit: 'seconds', from: 1_761_955_200, to: 1_762_041_600 },
  ]
  const lists = [{ stream: 'local/rest-evm-blocks/43112', table: 'rest_evm_blocks' }]
  expect(gapsText({ ...nothing, ranges: gaps, lists })).toMatchInlineSnapshot(`
    "stream         table                    from          to        missing
    local/P/block  p_blocks                    1       1,201  1,200 heights
    local/tps      metrics_chain_tps  2025-11-01  2025-11-02        1 d 0 h

    A repair removed rows of these lists. The next run of their jobs reads them again:
    stream                       table
    local/rest-evm-blocks/43112  rest_evm_blocks"
  `)
})

test('lists with parts that were not read are shown with the times around them, and accepted gaps below', () => {
  const list = { stream: 'local/rest-transactions/P', table: 'rest_transactions', from: 1_761_955_200, to: null }
  const gap = { stream: 'local/P/block', table: 'p_blocks', unit: 'heights', from: 1, to: 11 }
  const unread = [
    { ...list, isAccepted: false },
    { ...list, to: 1_762_041_600, isAccepted: true },
  ]
  expect(gapsText({ ...nothing, unread, acceptedRanges: [gap] })).toMatchInlineSnapshot(`
    "These lists ended before the rows that are known. The items between were not read:
    stream                     table                   after  before
    local/rest-transactions/P  rest_transactions  2025-11-01

    Accepted gaps:
    stream         table     from  to     missing
    local/P/block  p_blocks     1  11  10 heights

    stream                     table                   after      before
    local/rest-transactions/P  rest_transactions  2025-11-01  2025-11-02"
  `)
})
