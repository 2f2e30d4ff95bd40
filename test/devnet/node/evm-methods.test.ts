import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keccak256 } from '../../../codec/keccak.ts'
import { selectorOf } from '../../../devnet/c/abi.ts'
import { erc20Contracts, erc721Contracts, tokenContracts } from '../../../devnet/c/contracts.ts'
import { recordedCalls } from '../../../devnet/replay/recording.ts'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { recordingFolder } from '../../recorded.ts'
import { callNode, resultOf } from './calling.ts'

const path = '/ext/bc/C/rpc'
const blocks = 600
const hex = (value: number) => `0x${value.toString(16)}`
const word = (text: string) => text.replace(/^0x/, '').padStart(64, '0')

describe('the RPC of the simulated C-Chain', () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-evm-methods-'))
  let devnet: Devnet
  let receipts: any[][]
  let logs: any[]
  beforeAll(async () => {
    devnet = await startDevnet({ seed: 23, blocks, cacheDir, mostLogBlocks: 300 })
    receipts = []
    for (let number = 0; number <= blocks; number += 1)
      receipts.push(await resultOf(devnet, path, 'eth_getBlockReceipts', [hex(number)]))
    logs = receipts.flat().flatMap((receipt) => receipt.logs)
  })
  afterAll(async () => {
    await devnet.close()
    rmSync(cacheDir, { recursive: true, force: true })
  })
  const call = (method: string, ...params: unknown[]) => resultOf(devnet, path, method, params)
  const refusal = async (method: string, ...params: unknown[]) => (await callNode(devnet, path, method, params)).error
  const window = (fromBlock: number, toBlock: number, rest: object = {}) =>
    call('eth_getLogs', { fromBlock: hex(fromBlock), toBlock: hex(toBlock), ...rest })

  test('eth_getLogs returns the logs of the receipts in their order', async () => {
    const all = [...(await window(0, 299)), ...(await window(300, 599)), ...(await window(600, 600))]
    expect(all).toEqual(logs)
    expect(logs.length).toBeGreaterThan(500)
    const some = logs[100]
    expect(await call('eth_getLogs', { blockHash: some.blockHash })).toEqual(
      logs.filter(({ blockHash }) => blockHash === some.blockHash),
    )
    const last = logs.filter(({ blockNumber }) => blockNumber === hex(blocks))
    expect(await call('eth_getLogs', {})).toEqual(last)
  })

  test('eth_getLogs filters by one or several contracts and topics', async () => {
    const [first, second] = [logs[0].address, logs.find(({ address }) => address !== logs[0].address).address]
    const suiting = (suits: (log: any) => boolean) => logs.filter((log) => Number(log.blockNumber) < 300 && suits(log))
    expect(await window(1, 299, { address: first.toUpperCase().replace('0X', '0x') })).toEqual(
      suiting(({ address }) => address === first),
    )
    expect(await window(1, 299, { address: [first, second] })).toEqual(
      suiting(({ address }) => [first, second].includes(address)),
    )
    const [{ topics }] = suiting(({ topics }) => topics.length > 2)
    expect(await window(1, 299, { topics: [topics[0]] })).toEqual(suiting((log) => log.topics[0] === topics[0]))
    expect(await window(1, 299, { topics: [null, [topics[1], topics[2]]] })).toEqual(
      suiting((log) => [topics[1], topics[2]].includes(log.topics[1])),
    )
    expect(await window(1, 299, { topics: [null, null, null, null] })).toEqual(
      suiting((log) => log.topics.length === 4),
    )
    expect(await window(1, 299, { address: [] })).toEqual(suiting(() => true))
  })

  test('eth_getLogs refuses invalid ranges and filters like a node', async () => {
    const message = async (filter: object) => (await refusal('eth_getLogs', filter))?.message
    expect(await refusal('eth_getLogs', { fromBlock: '0x1', toBlock: '0x12d' })).toMatchObject({
      code: -32000n,
      message: 'requested too many blocks from 1 to 301, maximum is set to 300',
    })
    expect(await message({ fromBlock: '0x5', toBlock: '0x2' })).toBe('invalid block range params')
    expect(await message({ fromBlock: '0x0', toBlock: '0xfffff' })).toBe(
      'requested to block 1048575 after last accepted block 600',
    )
    expect(await message({ blockHash: `0x${'11'.repeat(32)}` })).toBe('unknown block')
    expect(await message({ fromBlock: '0x1', blockHash: `0x${'11'.repeat(32)}` })).toMatch(/cannot specify both/)
    expect(await message({ topics: [1, 2, 3, 4, 5] })).toMatch(/exceed max topics/)
  })

  test('transactions and blocks are found by hash', async () => {
    const block = await call('eth_getBlockByNumber', hex(77), true)
    expect(await call('eth_getBlockByHash', block.hash, true)).toEqual(block)
    expect((await call('eth_getBlockByHash', block.hash, false)).hash).toBe(block.hash)
    for (const tx of block.transactions) expect(await call('eth_getTransactionByHash', tx.hash)).toEqual(tx)
    expect(await call('eth_getBlockReceipts', block.hash)).toEqual(receipts[77])
    for (const method of ['eth_getTransactionByHash', 'eth_getTransactionReceipt'])
      expect(await call(method, `0x${'00'.repeat(32)}`)).toBeNull()
    expect(await call('eth_getBlockByHash', `0x${'00'.repeat(32)}`, false)).toBeNull()
  })

  test('nonces and balances follow from the transactions, at the head and at earlier blocks', async () => {
    const last = receipts.flat().findLast(({ from }) => from !== undefined)
    const tx = await call('eth_getTransactionByHash', last.transactionHash)
    expect(Number(await call('eth_getTransactionCount', tx.from, tx.blockNumber))).toBeGreaterThan(Number(tx.nonce))
    expect(await call('eth_getTransactionCount', tx.from, 'earliest')).toBe('0x0')
    const [before, after] = [Number(tx.blockNumber) - 1, Number(tx.blockNumber)]
    expect(await call('eth_getBalance', tx.from, hex(before))).not.toBe(
      await call('eth_getBalance', tx.from, hex(after)),
    )
    expect(await call('eth_getBalance', tx.from)).toBe(await call('eth_getBalance', tx.from, 'latest'))
    expect(await call('eth_getBalance', `0x${'77'.repeat(20)}`, 'latest')).toBe('0x0')
    expect((await refusal('eth_getBalance', tx.from, hex(blocks + 1)))?.message).toBe('cannot query unfinalized data')
  })

  test('token contracts return supplies, balances and owners that match their transfers', async () => {
    const ask = (to: string, signature: string, ...words: string[]) =>
      call('eth_call', { to, input: `0x${selectorOf(signature)}${words.map(word).join('')}` }, 'latest')
    const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
    for (const { address, name, decimals } of erc20Contracts) {
      const moves = logs.filter((log) => log.address === address && log.topics[0] === transfer)
      const balances = new Map<string, bigint>()
      const add = (topic: string, by: bigint) => balances.set(topic, (balances.get(topic) ?? 0n) + by)
      for (const { topics, data } of moves) {
        add(topics[1], -BigInt(data))
        add(topics[2], BigInt(data))
      }
      const zero = `0x${word('0')}`
      expect(BigInt(await ask(address, 'totalSupply()'))).toBe(-(balances.get(zero) ?? 0n))
      balances.delete(zero)
      for (const [topic, balance] of [...balances].slice(0, 5))
        expect(BigInt(await ask(address, 'balanceOf(address)', topic))).toBe(balance)
      expect(BigInt(await ask(address, 'balanceOf(address)', zero))).toBe(0n)
      expect(BigInt(await ask(address, 'decimals()'))).toBe(BigInt(decimals))
      const text = Buffer.from((await ask(address, 'name()')).slice(2), 'hex')
      expect(text.subarray(64, 64 + Number(text.readBigUInt64BE(56))).toString()).toBe(name)
    }
    const { address } = erc721Contracts[0]!
    const hat = logs.find((log) => log.address === address)
    const owner = logs.findLast((log) => log.address === address && log.topics[3] === hat.topics[3]).topics[2]
    if (BigInt(owner) !== 0n) expect(await ask(address, 'ownerOf(uint256)', hat.topics[3])).toBe(owner)
    expect((await refusal('eth_call', { to: address, data: '0x12345678' }, 'latest'))?.message).toBe(
      'execution reverted',
    )
    expect(await call('eth_call', { to: `0x${'12'.repeat(20)}`, data: '0x12345678' }, 'latest')).toBe('0x')
    expect(await call('eth_getCode', address, 'latest')).not.toBe('0x')
  })

  test('allowances are the last approval without what the spender has transferred', async () => {
    const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
    const approval = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
    const unlimited = 2n ** 256n - 1n
    const left = new Map<string, bigint>()
    let spent = 0
    for (const { from, logs } of receipts.flat())
      for (const { address, topics, data } of logs) {
        if (topics[0] === approval) left.set([address, topics[1], topics[2]].join(), BigInt(data))
        const pair = [address, topics[1], `0x${word(from)}`].join()
        const allowed = left.get(pair)
        if (topics[0] !== transfer || topics.length !== 3 || BigInt(topics[1]) === BigInt(from)) continue
        if (allowed === undefined || allowed === unlimited) continue
        left.set(pair, allowed - BigInt(data))
        spent += 1
      }
    expect(left.size).toBeGreaterThan(5)
    expect(spent).toBeGreaterThan(1)
    for (const [pair, amount] of left) {
      const [to, owner, spender] = pair.split(',') as [string, string, string]
      if (owner === spender) continue
      const data = `0x${selectorOf('allowance(address,address)')}${word(owner)}${word(spender)}`
      expect(BigInt(await call('eth_call', { to, data }, 'latest'))).toBe(amount)
      expect(BigInt(await call('eth_call', { to, data }, '0x0'))).toBe(0n)
    }
  })

  test('fees match the head block, and the chain configuration has the fields of the recorded one', async () => {
    const { baseFeePerGas } = await call('eth_getBlockByNumber', 'latest', false)
    expect(await call('eth_baseFee')).toBe(baseFeePerGas)
    const tip = BigInt(await call('eth_maxPriorityFeePerGas'))
    expect(BigInt(await call('eth_gasPrice'))).toBe(BigInt(baseFeePerGas) + tip)
    const recorded = JSON.parse(
      recordedCalls(recordingFolder('live')).find(({ request: { body } }) => body?.includes('eth_getChainConfig'))!
        .answer!.body,
    ).result
    const config = await call('eth_getChainConfig')
    expect(Object.keys(config)).toEqual(Object.keys(recorded))
    expect(config.chainId).toBe(43_112n)
    expect(await call('web3_clientVersion')).toBe('v0.15.4')
  })

  test.each([
    'eth_getLogs reversed',
    'eth text type',
    'eth_getBlockByHash absent',
    'eth_getTransactionReceipt absent',
    'net_listening',
    'eth_syncing',
    'web3_clientVersion',
  ])('the response is the same as from the recorded node: %s', async (name) => {
    const { request: requested, answer } = recordedCalls(recordingFolder('granite')).find((each) => each.name === name)!
    const said = await request(`${devnet.url}${path}`, {
      method: 'POST',
      headers: requested.headers,
      body: requested.body ?? '',
    })
    expect([said.statusCode, (await said.body.text()).trim()]).toEqual([answer!.status, answer!.body.trim()])
  })

  describe('proofs', () => {
    /** Follows a proof from its root: each node is the hash, or a part, of the one above. */
    function value(root: string, key: Buffer, proof: readonly string[]): Buffer | null {
      let nibbles = Buffer.from(keccak256(key)).toString('hex')
      let wanted: string | null = root
      let node: any = null
      for (const text of proof) {
        const bytes = Buffer.from(text.slice(2), 'hex')
        if (wanted !== null) expect(Buffer.from(keccak256(bytes)).toString('hex')).toBe(wanted)
        node = decodeRlp(bytes)
        for (;;) {
          let next: any
          if (node.length === 17) {
            next = node[Number.parseInt(nibbles[0]!, 16)]
            nibbles = nibbles.slice(1)
          } else {
            const packed = node[0].toString('hex')
            const path = packed.slice(Number.parseInt(packed[0], 16) % 2 === 1 ? 1 : 2)
            if (!nibbles.startsWith(path)) return null
            nibbles = nibbles.slice(path.length)
            if (nibbles === '') return node[1]
            next = node[1]
          }
          if (Buffer.isBuffer(next)) {
            if (next.length === 0) return null
            wanted = next.toString('hex')
            break
          }
          node = next
        }
      }
      throw new Error('the proof ends before the key')
    }

    const rootOf = (proof: readonly string[]) =>
      Buffer.from(keccak256(Buffer.from(proof[0]!.slice(2), 'hex'))).toString('hex')

    test('are valid for accounts, contracts and slots, and for an account that does not exist', async () => {
      const { from } = receipts.flat().at(-1)
      const roots = new Set<string>()
      for (const address of [from, ...tokenContracts.map((token) => token.address)]) {
        const proof = await call('eth_getProof', address, [], 'latest')
        roots.add(rootOf(proof.accountProof))
        const account: any = decodeRlp(
          value(rootOf(proof.accountProof), Buffer.from(address.slice(2), 'hex'), proof.accountProof)!,
        )
        expect(numberOf(account[0])).toBe(BigInt(proof.nonce))
        expect(numberOf(account[1])).toBe(BigInt(proof.balance))
        expect([account[2], account[3]].map((each: Buffer) => `0x${each.toString('hex')}`)).toEqual([
          proof.storageHash,
          proof.codeHash,
        ])
        expect(proof.balance).toBe(await call('eth_getBalance', address, 'latest'))
      }
      expect(roots.size).toBe(1)
      const { address } = erc20Contracts[0]!
      const holder = logs.findLast((log) => log.address === address).topics[2].slice(26)
      const slot = `0x${Buffer.from(keccak256(Buffer.from(word(holder) + word('0'), 'hex'))).toString('hex')}`
      const proof = await call('eth_getProof', address, [slot, '0x2', '0x5'], 'latest')
      const balance = await call(
        'eth_call',
        { to: address, data: `0x${selectorOf('balanceOf(address)')}${word(holder)}` },
        'latest',
      )
      expect(BigInt(proof.storageProof[0].value)).toBe(BigInt(balance))
      expect(proof.storageProof.map(({ key }: any) => key)).toEqual([slot, '0x2', '0x5'])
      for (const { key, value: stated, proof: nodes } of proof.storageProof) {
        const found = value(proof.storageHash.slice(2), Buffer.from(word(key), 'hex'), nodes)
        expect(found === null ? 0n : numberOf(decodeRlp(found) as Buffer)).toBe(BigInt(stated))
      }
      const nobody = await call('eth_getProof', `0x${'99'.repeat(20)}`, ['0x0'], 'latest')
      expect(value([...roots][0]!, Buffer.from('99'.repeat(20), 'hex'), nobody.accountProof)).toBeNull()
      expect(nobody).toMatchObject({
        balance: '0x0',
        nonce: '0x0',
        storageProof: [{ key: '0x0', value: '0x0', proof: [] }],
      })
    })

    test('are refused outside of the window of 32 blocks', async () => {
      const { from } = receipts.flat().at(-1)
      expect((await call('eth_getProof', from, [], hex(blocks - 32))).address).toBe(from)
      expect(await refusal('eth_getProof', from, [], hex(blocks - 33))).toEqual({
        code: -32000n,
        message: 'block number 567 is before the oldest allowed block number 568 (window of 32 blocks)',
      })
      expect((await refusal('eth_getProof', from, [], hex(blocks + 5)))?.message).toBe('cannot query unfinalized data')
    })
  })
})

function numberOf(bytes: Buffer): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`)
}

/** A second implementation of RLP decoding for the tests, for strings and lists. */
function decodeRlp(bytes: Buffer): unknown {
  const read = (at: number): { value: unknown; end: number } => {
    const first = bytes[at]!
    if (first < 0x80) return { value: bytes.subarray(at, at + 1), end: at + 1 }
    const isList = first >= 0xc0
    const short = first - (isList ? 0xc0 : 0x80)
    const lengthBytes = short > 55 ? short - 55 : 0
    const start = at + 1 + lengthBytes
    const length = lengthBytes === 0 ? short : Number.parseInt(bytes.toString('hex', at + 1, start), 16)
    const end = start + length
    if (!isList) return { value: bytes.subarray(start, end), end }
    const items: unknown[] = []
    for (let next = start; next < end; ) {
      const item = read(next)
      items.push(item.value)
      next = item.end
    }
    return { value: items, end }
  }
  const { value, end } = read(0)
  expect(end).toBe(bytes.length)
  return value
}
