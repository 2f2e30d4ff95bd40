import { expect, test } from 'vitest'
import { evmEndpoint } from '../../../pipelines/shared/evm-chain.ts'
import { headsUrl } from '../../../src/sources/evm-heads.ts'

const id = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'

test.each([
  ['C', 'http://127.0.0.1:9650', 'ws://127.0.0.1:9650/ext/bc/C/ws'],
  ['C', 'https://node.example/key/', 'wss://node.example/key/ext/bc/C/ws'],
  [id, 'http://user:word@node.example?token=1', `ws://user:word@node.example/ext/bc/${id}/ws?token=1`],
  ['https://rpc.example/ext/bc/C/rpc', 'http://127.0.0.1:9650', 'wss://rpc.example/ext/bc/C/ws'],
  ['https://rpc.example/v3/key?a=b', 'http://127.0.0.1:9650', 'wss://rpc.example/v3/key?a=b'],
  ['http://127.0.0.1:8545/', 'http://127.0.0.1:9650', 'ws://127.0.0.1:8545/'],
])('the WebSocket of %s at %s is %s', (chain, nodeUrl, url) => {
  const { endpoint, route } = evmEndpoint(chain)
  expect(headsUrl({ route, url: null }, endpoint, nodeUrl)).toEqual({ url, origin: 'derived' })
  const own = 'wss://other.example/'
  expect(headsUrl({ route, url: own }, endpoint, nodeUrl)).toEqual({ url: own, origin: 'given' })
})
