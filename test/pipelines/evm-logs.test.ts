import { afterEach, describe, expect, test } from 'vitest'
import { evmLogsPipeline } from '../../pipelines/evm-logs.ts'
import type { Facts } from '../../src/define/index.ts'
import { newLake, query } from '../run/lake-run.ts'
import {
  callsOf,
  contracts,
  endNodes,
  expected,
  granite,
  logs,
  ofBlocks,
  ofLogs,
  rangesOf,
  rowsOf,
  run,
  serve,
} from './evm-log-runs.ts'

afterEach(endNodes)

describe('evm-logs', () => {
  test('stores every log that passes its filter and stores the token transfers of these logs', async () => {
    const lake = newLake()
    const node = await serve()
    const [address] = contracts
    const [job] = await run(lake, node, ofLogs({ contracts: [address!.toUpperCase().replace('0X', '0x')] }))
    const own = logs.filter((log) => log.address === address)
    expect(job!.tables.map(({ rows }) => rows)[0]).toBe(own.length)
    const rows = await query(lake, 'SELECT DISTINCT address FROM evm_logs')
    expect(rows).toEqual([{ address }])
    expect(callsOf(node, 'eth_getBlockReceipts')).toEqual([])
    expect(await run(lake, node, ofLogs({ contracts: [address] }))).toMatchObject([{ upToDate: true }])
  })

  test('requests block ranges that are as long as the node allows', async () => {
    const lake = newLake()
    const node = await serve({
      interfere: ({ method, params: [filter] }) =>
        method === 'eth_getLogs' && Number(filter.toBlock) - Number(filter.fromBlock) >= 20
          ? { error: { code: -32000, message: 'requested too many blocks, maximum is set to 20' } }
          : undefined,
    })
    await run(lake, node, ofLogs())
    expect(await rowsOf(lake)).toEqual(await expected())
    // Each time that the length is halved takes two tries and a request for one block; then windows of 16 blocks follow.
    expect(rangesOf(node).length).toBeLessThan(60)
    expect(rangesOf(node).length).toBeLessThan(60)
  })

  test('refuses an invalid filter', async () => {
    const streams = (values: object) => evmLogsPipeline.streams(values as never, {} as Facts)
    const many = Array.from({ length: 1001 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`)
    await expect(streams({ contracts: many })).rejects.toMatchObject({ code: 'config.parameter' })
    await expect(streams({ from: 9, to: 9 })).rejects.toMatchObject({ code: 'config.parameter' })
  })

  test('is one stream, whatever the order, case and duplicates of its lists', async () => {
    const facts = {
      ask: async () => ({ chainId: 7n, genesisHash: '0x01', name: 'evm-7' }),
    } as unknown as Facts
    const streamOf = async (values: object) => {
      const [declared] = await evmLogsPipeline.streams({ chain: 'http://host', ...values } as never, facts)
      return declared!.stream
    }
    const [a, b] = [`0x${'Ab'.repeat(20)}`, `0x${'01'.repeat(20)}`]
    const topic = `0x${'C'.repeat(64)}`
    expect(await streamOf({ contracts: [a, b, a], 'third-topics': [topic] })).toEqual({
      network: 'evm-7',
      path: 'evm-logs/7',
      kind: 'evm-logs',
      chain: '7',
      parameters: { contracts: [b, a.toLowerCase()], thirdTopics: [topic.toLowerCase()] },
    })
    expect(await streamOf({ contracts: [b, a.toLowerCase()], from: 4, to: 9 })).toEqual(
      await streamOf({ contracts: [a, b] }),
    )
  })

  test('requests no blocks that evm-blocks has stored, and evm-blocks then stores each row once', async () => {
    const lake = newLake()
    const node = await serve()
    await run(lake, node, ofBlocks({ from: 20, to: 180 }))
    await run(lake, node, ofLogs())
    const requested = rangesOf(node).map(({ params: [{ fromBlock, toBlock }] }) => [Number(fromBlock), Number(toBlock)])
    expect(requested).toEqual([
      [0, 19],
      [180, granite.length - 1],
    ])
    await run(lake, node, ofBlocks())
    expect(await rowsOf(lake)).toEqual(await expected())
  })
})
