import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../codec/containers.ts'
import { putChecksum, sha256 } from '../../../codec/hash.ts'
import { idText } from '../../../codec/ids.ts'
import { rpcEndpoint } from '../../../devnet/http/json-rpc.ts'
import { blockMethods, chainBlocks } from '../../../devnet/node/blocks.ts'
import { named } from '../../../devnet/node/chains.ts'
import { pBlockJson, xBlockJson } from '../../../devnet/node/json.ts'
import { recordedStores } from '../../../devnet/replay/recording.ts'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { createTransport } from '../../../src/fetch/transport.ts'
import { createIndexApi } from '../../../src/sources/node-index.ts'
import { quick } from '../../fetch/local-server.ts'
import { parseNodeJson, recordingFolder } from '../../recorded.ts'
import { answerTo, callNode, recordedOf, resultOf } from './calling.ts'

const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-node-blocks-'))
afterAll(() => rmSync(cacheDir, { recursive: true, force: true }))

const chainIds = {
  P: '11111111111111111111111111111111LpoYY',
  X: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
} as const

describe.each([
  { recording: 'granite', hrp: 'local' },
  { recording: 'helicon', hrp: 'custom' },
])('blocks of recorded containers: $recording', ({ recording, hrp }) => {
  const stores = recordedStores(recordingFolder(recording))

  test.each([
    { chain: 'P', service: 'platform', json: pBlockJson },
    { chain: 'X', service: 'xvm', json: xBlockJson },
  ] as const)(
    '$chain: every response is the same as the response of the recorded node',
    async ({ chain, service, json }) => {
      const method = service === 'xvm' ? 'avm' : service
      const calls = recordedOf(recording, new RegExp(`^${method}\\.(getHeight|getBlock|getBlockByHeight)$`))
      const first = calls.find(({ name }) => name === `${method}.getBlockByHeight 0 hex`)!
      const genesis = Buffer.from(parseNodeJson(first.answer!.body).result.block.slice(2, -8), 'hex')
      const blocks = chainBlocks(stores.get(`${chain}/block`)!, async () => genesis)
      const methods = blockMethods(
        async () => blocks,
        (bytes) => json(bytes, hrp),
      )
      const handle = rpcEndpoint(named(service, 'node', methods))
      expect(calls.length).toBeGreaterThan(12)
      for (const { name, request, answer } of calls) {
        const found = parseNodeJson(await answerTo(handle, request.body!))
        expect({ name, found }).toEqual({ name, found: parseNodeJson(answer!.body) })
      }
    },
  )
})

describe('blocks of the simulated network', () => {
  let devnet: Devnet
  beforeAll(async () => {
    devnet = await startDevnet({ seed: 7, blocks: 1_100, cacheDir })
  })
  afterAll(() => devnet.close())

  test.each([
    { chain: 'P', method: 'platform', json: pBlockJson },
    { chain: 'X', method: 'avm', json: xBlockJson },
  ] as const)(
    '$chain: the block of a container is served by height and by id, under every path',
    async ({ chain, method, json }) => {
      const transport = createTransport({ baseUrl: devnet.url, ...quick })
      const containers = await createIndexApi(transport, `${chain}/block`).window(0, 1_024)
      await transport.close()
      const paths = [chain, chainIds[chain]].flatMap((name) => [`/ext/bc/${name}`, `/ext/bc/${name}/rpc`])
      let parent = Buffer.from(
        (await resultOf(devnet, paths[0]!, `${method}.getBlockByHeight`, { height: 0 })).block.slice(2, -8),
        'hex',
      )
      for (const { bytes, index } of containers.filter(({ index }) => index < 20 || index % 37 === 0)) {
        const block = Buffer.from(unwrap(bytes).block)
        const checksum = new Uint8Array(4)
        putChecksum(block, checksum, 0)
        const hex = `0x${block.toString('hex')}${Buffer.from(checksum).toString('hex')}`
        const path = paths[index % 4]!
        const height = String(index + 1)
        expect(await resultOf(devnet, path, `${method}.getBlockByHeight`, { height })).toEqual({
          block: hex,
          encoding: 'hex',
        })
        const said = await resultOf(devnet, path, `${method}.getBlockByHeight`, { height, encoding: 'json' })
        expect(said).toEqual({ block: json(block, 'local'), encoding: 'json' })
        if (index < 20) expect(said.block.parentID).toBe(idText(sha256(parent)))
        parent = block
        const blockID = idText(sha256(block))
        expect((await resultOf(devnet, path, `${method}.getBlock`, { blockID, encoding: 'hexnc' })).block).toBe(
          hex.slice(0, -8),
        )
      }
      expect(await resultOf(devnet, paths[3]!, `${method}.getHeight`)).toEqual({ height: '1100' })
      expect((await callNode(devnet, paths[0]!, `${method}.getBlockByHeight`, { height: 1_101 })).error).toMatchObject({
        code: -32000n,
        message: "couldn't get block at height 1101: not found",
      })
    },
  )

  test('a new block is served by height and by id when the network has accepted it', async () => {
    const { block } = await resultOf(devnet, '/ext/bc/P', 'platform.getBlockByHeight', {
      height: 1_100,
      encoding: 'json',
    })
    expect(
      (await resultOf(devnet, '/ext/bc/P', 'platform.getBlock', { blockID: block.id, encoding: 'json' })).block,
    ).toEqual(block)
    await devnet.grow(1)
    const next = await resultOf(devnet, '/ext/bc/P', 'platform.getBlockByHeight', { height: 1_101, encoding: 'json' })
    expect(next.block.parentID).toBe(block.id)
    const byId = await resultOf(devnet, '/ext/bc/P', 'platform.getBlock', { blockID: next.block.id, encoding: 'json' })
    expect(byId.block).toEqual(next.block)
  })
})

test('the faults other-chain and moving-head serve blocks of another chain and a lower head', async () => {
  const devnet = await startDevnet({ seed: 7, blocks: 80, cacheDir })
  const other = await startDevnet({ seed: 8, blocks: 80, cacheDir })
  for (const [path, service] of [
    ['/ext/bc/P', 'platform'],
    ['/ext/bc/X', 'avm'],
  ] as const) {
    const ask = (of: Devnet, method: string, params: object = {}) => resultOf(of, path, `${service}.${method}`, params)
    const [own, theirs] = await Promise.all([devnet, other].map((of) => ask(of, 'getBlockByHeight', { height: 9 })))
    const genesis = await ask(other, 'getBlockByHeight', { height: 0 })
    expect(own).not.toEqual(theirs)
    devnet.setFaults({ every: 1, kinds: ['other-chain'] })
    expect(await ask(devnet, 'getBlockByHeight', { height: 9 })).toEqual(theirs)
    expect(await ask(devnet, 'getBlockByHeight', { height: 0 })).toEqual(genesis)
    devnet.setFaults({ every: 1, kinds: ['moving-head'] })
    expect(await ask(devnet, 'getHeight')).toEqual({ height: '73' })
    expect((await callNode(devnet, path, `${service}.getBlockByHeight`, { height: 74 })).error?.message).toMatch(
      /not found/,
    )
    devnet.setFaults(null)
    expect(await ask(devnet, 'getBlockByHeight', { height: 9 })).toEqual(own)
  }
  await devnet.close()
  await other.close()
})

test('the spec dialect serves xvm.getHeight and refuses avm.getHeight', async () => {
  const devnet = await startDevnet({ seed: 7, blocks: 50, cacheDir, dialect: 'spec' })
  expect(await resultOf(devnet, '/ext/bc/X', 'xvm.getHeight')).toEqual({ height: '50' })
  expect((await callNode(devnet, '/ext/bc/X', 'avm.getHeight')).error?.message).toBe(
    'rpc: can\'t find service "avm.GetHeight"',
  )
  await devnet.close()
})

test('the X-Chain has no blocks before it is linear, and its first block follows the last vertex', async () => {
  const young = await startDevnet({ seed: 7, blocks: 60, cacheDir, legacy: true })
  for (const method of ['getHeight', 'getBlockByHeight', 'getBlock'])
    expect((await callNode(young, '/ext/bc/X', `avm.${method}`, { height: 1 })).error?.message).toBe(
      `rpc: can't find method "avm.${method.replace('g', 'G')}"`,
    )
  await young.close()
  const older = await startDevnet({ seed: 7, blocks: 1_000, cacheDir, legacy: true })
  const { id } = await resultOf(older, '/ext/index/X/vtx', 'index.getLastAccepted')
  const { block } = await resultOf(older, '/ext/bc/X', 'avm.getBlockByHeight', { height: 0, encoding: 'json' })
  const next = await resultOf(older, '/ext/bc/X', 'avm.getBlockByHeight', { height: 1, encoding: 'json' })
  expect([block.parentID, next.block.parentID]).toEqual([id, block.id])
  await older.close()
})
