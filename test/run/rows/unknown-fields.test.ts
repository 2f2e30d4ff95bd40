import { expect, test } from 'vitest'
import { createUnknownFields, type RunEvent } from '../../../src/run/events.ts'

test('fields that no column holds are named in one warning, each once, with how often they were seen', () => {
  const unknown = createUnknownFields('evm-blocks')
  const events: RunEvent[] = []
  const warn = () => unknown.warn((event) => events.push(event))
  warn()
  expect(events).toEqual([])
  unknown.add({ 'transactions[].calls': 2, 'receipts[].l1BlobBaseFee': 1 })
  unknown.add({ 'transactions[].calls': 3 })
  warn()
  unknown.add({ 'transactions[].calls': 1, time: 4 })
  warn()
  warn()
  expect(events).toMatchObject([
    {
      kind: 'warning',
      message:
        'Responses for evm-blocks contain fields that chainlake does not know: receipts[].l1BlobBaseFee, transactions[].calls. They are stored in no column.',
      details: { times: 'receipts[].l1BlobBaseFee 1, transactions[].calls 5' },
    },
    {
      message:
        'Responses for evm-blocks contain a field that chainlake does not know: time. It is stored in no column.',
    },
  ])
})

test('blocks that are not like those of most chains are named in a warning of their own', () => {
  const unknown = createUnknownFields('evm-blocks')
  const events: RunEvent[] = []
  unknown.add({ 'block: gasUsed is not the sum of the gas of its receipts': 3, time: 1 })
  unknown.warn((event) => events.push(event))
  unknown.add({ 'block: gasUsed is not the sum of the gas of its receipts': 1 })
  unknown.warn((event) => events.push(event))
  expect(events).toMatchObject([
    {
      kind: 'warning',
      message:
        'Some blocks of evm-blocks are not like those of most chains: gasUsed is not the sum of the gas of its receipts. The rows hold what the node states.',
      details: { times: 'gasUsed is not the sum of the gas of its receipts 3' },
    },
    { message: expect.stringContaining('a field that chainlake does not know: time') },
  ])
})
