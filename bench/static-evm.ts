/**
 * Serves the JSON-RPC API of an EVM chain with this many blocks, which repeats recorded ones: `node dist/bench/static-evm.js 20000`. With
 * `provable` after the number, the hashes and roots of its blocks derive from them.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { evmAnswers } from './evm-answers.ts'

const answer = evmAnswers(Number(process.argv[2]), process.argv[3] === 'provable')
// The hash of the last block derives from those of all others, which takes 400 seconds for 8 million blocks: longer than a client waits.
answer('{"id":1,"method":"eth_getBlockByNumber","params":["latest",false]}')

const server = createServer(async (incoming, response) => {
  const body = Buffer.from(answer(await text(incoming)))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
