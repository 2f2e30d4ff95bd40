import { connect } from 'node:net'
import { WebSocket } from 'undici'
import { describe, expect, test } from 'vitest'
import { servedDevnet } from '../served.ts'
import { callNode, resultOf } from './calling.ts'

describe('WebSockets of the simulated C-Chain', () => {
  const devnet = servedDevnet({ seed: 29, blocks: 400 })

  /** A client that stores received messages and can wait for a number of them. */
  async function open(path = '/ext/bc/C/ws') {
    const socket = new WebSocket(`${devnet.url.replace('http', 'ws')}${path}`)
    const received: any[] = []
    const waiting: { count: number; done: () => void }[] = []
    socket.addEventListener('message', ({ data }) => {
      received.push(JSON.parse(String(data)))
      for (const { count, done } of waiting) if (received.length >= count) done()
    })
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve())
      socket.addEventListener('error', ({ error }) => reject(error))
    })
    const until = (count: number) =>
      new Promise<any[]>((resolve) => {
        if (received.length >= count) resolve(received)
        else waiting.push({ count, done: () => resolve(received) })
      })
    const send = (id: number, method: string, ...params: unknown[]) =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return { socket, received, until, send, close: () => socket.close() }
  }

  test('answer every method, also in batches, under the alias and the id of the chain', async () => {
    const { blockchainID } = await resultOf(devnet, '/ext/info', 'info.getBlockchainID', { alias: 'C' })
    for (const path of ['/ext/bc/C/ws', `/ext/bc/${blockchainID}/ws`]) {
      const client = await open(path)
      client.send(7, 'eth_blockNumber')
      expect((await client.until(1))[0]).toEqual({ jsonrpc: '2.0', id: 7, result: '0x190' })
      const calls = Array.from({ length: 900 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }))
      client.socket.send(JSON.stringify(calls))
      expect((await client.until(2))[1]).toHaveLength(900)
      // A response of more than 65,535 bytes.
      client.socket.send(
        JSON.stringify(calls.map((call) => ({ ...call, method: 'web3_clientVersion'.padEnd(90, 'x') }))),
      )
      expect((await client.until(3))[2][899].error.code).toBe(-32601)
      client.close()
    }
  })

  test('send new heads and logs in the order of the chain until the last subscription ends', async () => {
    const client = await open()
    client.send(1, 'eth_subscribe', 'newHeads')
    client.send(2, 'eth_subscribe', 'logs', {})
    const [{ result: heads }, { result: logs }] = (await client.until(2)) as [any, any]
    const other = await open()
    other.send(1, 'eth_subscribe', 'logs', { address: `0x${'11'.repeat(20)}` })
    await other.until(1)
    await devnet.grow(20)
    const blocks = await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        return resultOf(devnet, '/ext/bc/C/rpc', 'eth_getBlockByNumber', [`0x${(401 + at).toString(16)}`, false])
      }),
    )
    const receipts = await Promise.all(
      blocks.map(({ number }) => resultOf(devnet, '/ext/bc/C/rpc', 'eth_getBlockReceipts', [number])),
    )
    const expected = receipts.flat().flatMap((receipt: any) => receipt.logs)
    const received = (await client.until(2 + 20 + expected.length)).slice(2)
    const of = (id: string) =>
      received.filter(({ params }) => params.subscription === id).map(({ params }) => params.result)
    expect(of(logs)).toEqual(expected)
    expect(expected.length).toBeGreaterThan(0)
    expect(of(heads).map(({ hash }) => hash)).toEqual(blocks.map(({ hash }) => hash))
    const { parentHash, stateRoot, transactions } = of(heads)[0]
    expect({ parentHash, stateRoot, transactions }).toEqual({
      parentHash: blocks[0].parentHash,
      stateRoot: blocks[0].stateRoot,
      transactions: undefined,
    })
    expect(other.received).toHaveLength(1)
    client.send(3, 'eth_unsubscribe', heads)
    client.send(4, 'eth_unsubscribe', logs)
    client.send(5, 'eth_unsubscribe', logs)
    const before = 2 + 20 + expected.length
    const answers = (await client.until(before + 3)).slice(before)
    expect(answers.map(({ result, error }) => result ?? error.message)).toEqual([true, true, 'subscription not found'])
    await devnet.grow(3)
    client.send(6, 'eth_blockNumber')
    expect((await client.until(before + 4)).at(-1)).toMatchObject({ id: 6, result: '0x1a7' })
    client.close()
    other.close()
  })

  test('refuse unknown subscriptions; HTTP and the P-Chain have no subscriptions', async () => {
    const client = await open()
    client.send(1, 'eth_subscribe', 'everything')
    expect((await client.until(1))[0].error).toEqual({
      code: -32601,
      message: 'no "everything" subscription in eth namespace',
    })
    client.close()
    expect((await callNode(devnet, '/ext/bc/C/rpc', 'eth_subscribe', ['newHeads'])).error).toEqual({
      code: -32601n,
      message: 'notifications not supported',
    })
    await expect(open('/ext/bc/P/ws')).rejects.toThrow()
  })

  test('reassemble frames, answer pings, and close the connection of a client that breaks the protocol', async () => {
    const mask = Buffer.from([1, 2, 3, 4])
    const frame = (first: number, text: string, masked = true): Buffer => {
      const payload = Buffer.from(text)
      const body = masked ? payload.map((byte, at) => byte ^ mask[at % 4]!) : payload
      return Buffer.concat([
        Buffer.from([first, (masked ? 0x80 : 0) | payload.length]),
        masked ? mask : Buffer.alloc(0),
        body,
      ])
    }
    const talk = (bytes: Buffer[]) =>
      new Promise<string>((resolve) => {
        const socket = connect(devnet.port, '127.0.0.1')
        let received = ''
        socket.on('data', (data) => {
          received += data.toString('latin1')
        })
        socket.on('close', () => resolve(received))
        socket.write(
          'GET /ext/bc/C/ws HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
        )
        // Sends single bytes, because a frame may arrive in pieces of any size.
        for (const piece of bytes) for (const byte of piece) socket.write(Buffer.from([byte]))
      })
    const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
    const said = await talk([
      frame(0x01, call.slice(0, 20)),
      frame(0x89, 'are you there'),
      frame(0x80, call.slice(20)),
      frame(0x88, ''),
    ])
    // The example of RFC 6455, section 1.3.
    expect(said).toContain('sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
    expect(said).toContain('are you there')
    // The last message is a close frame with code 1002.
    for (const wrong of [frame(0x81, call, false), frame(0x80, call)])
      expect(Buffer.from(await talk([wrong]), 'latin1').toString('hex')).toMatch(/880203ea$/)
  })
})
