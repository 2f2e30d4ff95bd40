import { expect, test } from 'vitest'
import { serviceStream } from '../../../src/define/index.ts'
import { shortName } from '../../../src/run/status/lake-status.ts'

const addresses = Array.from({ length: 64 }, (_, at) => `P-local1${String(at).padStart(38, 'q')}`)

test.each([
  [
    serviceStream('local', 'rest-utxos/P', { addresses, includeSpent: true }),
    'rest-utxos/P, 64 addresses, includeSpent=true',
  ],
  [
    serviceStream('local', 'holders/1', { contracts: ['0x1', '0x2'], threshold: '0' }),
    'holders/1, 2 contracts, threshold=0',
  ],
  [serviceStream('local', 'evm-blocks/43112', {}), 'evm-blocks/43112'],
  [
    serviceStream('local', 'node-blocks/P', { nodeId: `NodeID-${'a'.repeat(33)}` }),
    'node-blocks/P, nodeId=NodeID-aaa…aaaaaa',
  ],
  [serviceStream('mainnet', 'P/block', {}), 'P/block'],
])('the short name of a stream counts the items of lists: %j', (stream, name) => {
  expect(shortName(stream)).toBe(name)
})
