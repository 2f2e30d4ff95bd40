import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { evmLogsPipeline } from '../../pipelines/evm-logs.ts'
import { evmTracesPipeline } from '../../pipelines/evm-traces.ts'
import type { Pipeline } from '../../src/define/index.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake, query } from '../run/lake-run.ts'
import { type Call, type EvmNode, type Said, startEvmNode } from '../sources/evm-node.ts'
import {
  addressOf,
  frameOf,
  hashOf,
  hexOf,
  logOf,
  type OtherBlock,
  otherChain,
  zeroAddress,
} from '../sources/other-chain.ts'

/** A chain whose blocks have shapes that public fixtures and reports show, rebuilt small. */
type Chain = {
  readonly name: string
  readonly id: number
  /** Changes a block with transactions. */
  readonly shape: (block: OtherBlock) => void
  /** Logs of eth_getLogs that are in no receipt. */
  readonly blockLogs?: (block: OtherBlock) => object[]
  /** Whether eth_getBlockReceipts has none. */
  readonly hasNoBlockReceipts?: true
  /** Whether a node of the chain traces. */
  readonly traces?: true
  /** SQL values of the chain, `$chain` selects its rows, and what they must be. */
  readonly facts: Readonly<Record<string, unknown>>
  /** Fields that the run must name, because no column holds them. */
  readonly named?: readonly string[]
  /** What the run must say of its blocks. */
  readonly remarks?: readonly string[]
}

/** Its nodes do not say which transaction a trace belongs to. */
const zkSync = 324

const word = hashOf('word')
const rename = (at: any, changes: object) => Object.assign(at, changes)
function drop(at: any, ...names: string[]) {
  for (const name of names) delete at[name]
}

const chains: readonly Chain[] = [
  {
    name: 'Moonbeam, Bittensor (Frontier)',
    id: 1284,
    shape({ block, receipts }) {
      rename(block, { author: block.miner, totalDifficulty: '0x0' })
      drop(block, 'mixHash')
      rename(block.transactions[0], {
        type: '0x4',
        creates: null,
        accessList: [{ address: addressOf('a'), storage_keys: [word] }],
        authorizationList: [
          {
            address: addressOf('b'),
            chain_id: 1284,
            nonce: '0x6',
            signature: { odd_y_parity: true, r: word, s: word },
          },
        ],
      })
      rename(receipts[0], { type: '0x4' })
    },
    facts: {
      "SELECT authorization_list[1].y_parity::INT || ' ' || authorization_list[1].signed_chain_id || ' ' || len(access_list[1].storage_keys) FROM evm_transactions WHERE $chain AND block_number = 1 AND transaction_index = 0":
        '1 1284 1',
    },
  },
  {
    name: 'Tempo',
    id: 4217,
    shape({ block, receipts }) {
      const [transaction] = block.transactions
      const { to, value, input, r, s, v } = transaction
      drop(transaction, 'to', 'value', 'input', 'v', 'r', 's')
      rename(transaction, { type: '0x76', calls: [{ to, value, input }], signature: { type: 'secp256k1', r, s, v } })
      rename(receipts[0], { type: '0x76', feePayer: addressOf('payer') })
    },
    facts: {
      'SELECT count(*)::INT FROM evm_transactions WHERE $chain AND value_raw IS NULL AND input IS NULL AND r IS NOT NULL': 2,
    },
    named: ['transactions[].calls', 'transactions[].signature.type', 'receipts[].feePayer'],
  },
  {
    name: 'Rootstock',
    id: 30,
    shape({ block, receipts }) {
      rename(block, { minimumGasPrice: '0x3', paidFees: '0x5' })
      drop(block, 'mixHash')
      for (const receipt of receipts) rename(receipt, { root: '0x01' })
    },
    facts: { 'SELECT count(*)::INT FROM evm_transactions WHERE $chain AND receipt_root IS NULL AND status = 1': 4 },
    named: ['minimumGasPrice', 'paidFees'],
  },
  {
    name: 'Optimism, Base (OP stack)',
    id: 10,
    shape({ block, receipts }) {
      const [deposit] = block.transactions
      drop(deposit, 'nonce', 'gasPrice', 'v', 'r', 's')
      rename(deposit, { type: '0x7e', sourceHash: word, mint: '0x5', isSystemTx: false })
      rename(receipts[0], { type: '0x7e', depositNonce: '0x9', depositReceiptVersion: '0x1', effectiveGasPrice: '0x0' })
      rename(receipts[1], { l1Fee: '0x38d7ea4c68000', l1GasUsed: '0x640', l1GasPrice: '0x1', l1FeeScalar: '0.684' })
    },
    facts: {
      'SELECT min(nonce)::INT FROM evm_transactions WHERE $chain AND mint = 5': 9,
      'SELECT fees::VARCHAR FROM evm_daily WHERE $chain': String(2n * (50_000n * 0x77359400n + 0x38d7ea4c68000n)),
    },
    named: ['receipts[].depositReceiptVersion'],
  },
  {
    name: 'Polygon',
    id: 137,
    traces: true,
    shape(each) {
      const { block, receipts } = each
      const none = { from: zeroAddress, to: zeroAddress }
      rename(block.transactions[1], {
        ...none,
        gas: '0x0',
        gasPrice: '0x0',
        input: '0x',
        value: '0x0',
        v: '0x0',
        r: '0x0',
        s: '0x0',
      })
      rename(receipts[1], { ...none, gasUsed: '0x0', cumulativeGasUsed: '0x0', effectiveGasPrice: '0x0' })
      rename(block, { gasUsed: receipts[0].gasUsed })
      each.traces.pop()
    },
    facts: {
      "SELECT string_agg(call_type, ' ' ORDER BY block_number, transaction_index) FROM evm_traces WHERE $chain":
        'CALL UNTRACED CALL UNTRACED',
    },
  },
  {
    name: 'Arbitrum',
    id: 42161,
    traces: true,
    shape(each) {
      const { block, receipts, traces } = each
      rename(block, { l1BlockNumber: '0x11b3fb3', sendCount: '0x1', sendRoot: word })
      rename(block.transactions[0], { type: '0x6a', gas: '0x0', gasPrice: '0x0', v: '0x0', r: '0x0', s: '0x0' })
      rename(receipts[0], { type: '0x6a', gasUsed: '0x0', cumulativeGasUsed: '0x0', effectiveGasPrice: '0x0' })
      rename(receipts[1], { cumulativeGasUsed: receipts[1].gasUsed, gasUsedForL1: '0x100', l1BlockNumber: '0x11b3fb3' })
      rename(block, { gasUsed: receipts[1].gasUsed })
      traces[0]!.result = { type: 'STOP', from: zeroAddress, gas: '0x0', gasUsed: '0x0', input: '0x' }
      const { from, to } = block.transactions[1]
      traces[1]!.result.calls = [
        { ...frameOf({ from: to, to: from, value: '0x64', gas: '0x0', input: '0x' }), type: 'INVALID' },
      ]
    },
    facts: {
      'SELECT max(l1_block_number)::INT FROM evm_blocks WHERE $chain': 0x11b3fb3,
      'SELECT sum(gas_used_for_l1)::INT FROM evm_transactions WHERE $chain': 0x200,
      'SELECT sum(value)::INT FROM evm_internal_transfers WHERE $chain': 200,
      "SELECT count(*)::INT FROM evm_traces WHERE $chain AND call_type = 'UNTRACED'": 2,
    },
    named: ['sendCount', 'sendRoot'],
  },
  {
    name: 'zkSync Era',
    id: zkSync,
    traces: true,
    shape(each) {
      const { block, receipts, traces } = each
      rename(block, { l1BatchNumber: '0x1', l1BatchTimestamp: null })
      const deployer = '0x0000000000000000000000000000000000008006'
      rename(block.transactions[0], { type: '0x71', to: deployer })
      rename(receipts[0], { type: '0x71', to: deployer, contractAddress: addressOf(block.hash) })
      rename(block.transactions[1], { type: '0xff' })
      rename(receipts[1], { type: '0xff' })
      for (const [at, trace] of traces.entries()) {
        const { from, to } = block.transactions[at]
        const nothing = { error: null, revertReason: null, output: '0x' }
        const inner = { from: to, gas: '0x5', gasUsed: '0x1', input: '0x', ...nothing, calls: [] }
        rename(trace.result, {
          ...{ ...nothing, type: 'call', to },
          calls: [
            { ...inner, type: 'call', to: from, value: '0x64' },
            { ...inner, type: 'Create', to: addressOf(trace.txHash), value: '0x0' },
          ],
        })
      }
    },
    facts: {
      'SELECT count(*)::INT FROM evm_internal_transfers WHERE $chain': 4,
      'SELECT count(*)::INT FROM evm_contracts_created WHERE $chain': 4,
      'SELECT contract_count::INT FROM evm_daily WHERE $chain': 2,
    },
  },
  {
    name: 'Celo before its L2',
    id: 42220,
    shape({ block }) {
      drop(block, 'gasLimit', 'difficulty', 'sha3Uncles', 'uncles', 'mixHash', 'nonce')
      rename(block, { randomness: { committed: word }, epochSnarkData: null })
      for (const each of block.transactions) rename(each, { feeCurrency: null, gatewayFee: '0x0', ethCompatible: true })
    },
    blockLogs: ({ block, receipts }) => {
      const place = { blockHash: block.hash, blockNumber: block.number, transactionHash: block.hash }
      return [logOf({ ...place, transactionIndex: hexOf(receipts.length) }, { from: zeroAddress, index: 2 })]
    },
    facts: { 'SELECT count(*)::INT FROM evm_logs WHERE $chain': 4 },
    named: ['randomness'],
  },
  {
    name: 'Harmony',
    id: 1666600000,
    shape({ block }) {
      rename(block, { viewID: '0x1' })
    },
    // Of a staking transaction, which no block lists.
    blockLogs: ({ block, receipts }) => {
      const place = {
        blockHash: block.hash,
        blockNumber: block.number,
        transactionHash: hashOf(`staking ${block.number}`),
      }
      return [logOf({ ...place, transactionIndex: hexOf(receipts.length) }, { from: zeroAddress, index: 2 })]
    },
    facts: { 'SELECT count(*)::INT FROM evm_logs WHERE $chain': 4 },
    named: ['viewID'],
  },
  {
    name: 'Cronos (Ethermint)',
    id: 25,
    shape({ block, receipts }) {
      const [gone] = receipts.splice(1)
      rename(block, { gasUsed: receipts[0].gasUsed, totalDifficulty: '0x0' })
      expect(gone.transactionHash).toBe(block.transactions[1].hash)
    },
    facts: {
      'SELECT count(*)::INT FROM evm_transactions WHERE $chain AND status IS NULL AND gas_used IS NULL': 2,
      'SELECT fees::VARCHAR FROM evm_daily WHERE $chain': String(2n * 50_000n * 0x77359400n),
    },
    named: ['transactions[] without a receipt'],
  },
  {
    name: 'Hedera',
    id: 295,
    traces: true,
    hasNoBlockReceipts: true,
    shape({ block, receipts }) {
      // The other transactions of the block are none of the EVM. The relay appends those that it makes itself, such as the last one here.
      for (const [at, transaction] of block.transactions.entries())
        for (const each of [transaction, receipts[at], ...receipts[at].logs]) each.transactionIndex = hexOf(4 - 3 * at)
      for (const each of block.transactions) rename(each, { v: '0x', r: '0x', s: '0x', nonce: null })
      for (const each of receipts) rename(each, { contractAddress: each.to, root: hashOf('root'), logsBloom: '0x' })
      rename(block, { logsBloom: '0x' })
    },
    facts: {
      'SELECT contract_count::INT FROM evm_daily WHERE $chain': 0,
      'SELECT count(*)::INT FROM evm_transactions WHERE $chain AND contract_address IS NULL AND r IS NULL AND nonce IS NULL': 4,
      "SELECT string_agg(concat(t.transaction_index, l.transaction_index, r.transaction_index), ' ' ORDER BY t.block_number, t.transaction_index) FROM evm_transactions t JOIN evm_logs l USING (chain_id, transaction_hash) JOIN evm_traces r USING (chain_id, transaction_hash) WHERE $chain":
        '111 444 111 444',
    },
    remarks: ['transactionIndex leaves out numbers', 'eth_getBlockReceipts returns none of their receipts'],
  },
  {
    name: 'TRON',
    id: 728126428,
    shape({ block, receipts }) {
      rename(block, { stateRoot: '0x', receiptsRoot: null, sha3Uncles: null, mixHash: null, nonce: null, uncles: null })
      for (const each of receipts)
        rename(each, { root: '0x', logs: each.logs.map((log: any) => ({ ...log, removed: undefined })) })
    },
    facts: { 'SELECT count(*)::INT FROM evm_blocks WHERE $chain AND state_root IS NULL': 2 },
  },
  {
    name: 'Fantom, Moonbeam with traces: without the gas that a transaction costs before its first call',
    id: 250,
    traces: true,
    shape({ block, traces }) {
      rename(block, { epoch: '0x1f', timestampNano: '0x17e5' })
      rename(traces[0]!.result, { gas: '0x9858', gasUsed: '0x0', calls: [{ type: 'SELFDESTRUCT' }] })
    },
    facts: {
      'SELECT count(*)::INT FROM evm_traces WHERE $chain AND trace_index = 0 AND gas = 39000': 2,
      "SELECT count(*)::INT FROM evm_traces t WHERE $chain AND call_type = 'SELFDESTRUCT' AND from_address = (SELECT any_value(to_address) FROM evm_transactions WHERE $chain)": 2,
    },
    named: ['epoch', 'timestampNano'],
  },
  {
    name: 'Quorum (Raft)',
    id: 1337,
    shape({ block }) {
      rename(block, { timestamp: hexOf(BigInt(block.timestamp) * 1_000_000_000n) })
      for (const each of block.transactions) rename(each, { gasPrice: '0x0' })
    },
    facts: {
      "SELECT strftime(max(block_time) AT TIME ZONE 'UTC', '%Y-%m-%d') FROM evm_blocks WHERE $chain": '2023-11-14',
    },
  },
  {
    name: 'Ethereum with EIP-7708, EIP-7843 and EIP-7928',
    id: 7_078_815,
    shape({ block, receipts }) {
      rename(block, { blockAccessListHash: word, slotNumber: '0x7' })
      rename(receipts[0].logs[0], { address: `0x${'f'.repeat(39)}e` })
    },
    facts: {
      "SELECT string_agg(standard, ' ' ORDER BY standard) FROM evm_token_transfers WHERE $chain":
        'erc20 erc20 native native',
      'SELECT sum(slot_number)::INT FROM evm_blocks WHERE $chain AND block_access_list_hash IS NOT NULL': 14,
      "SELECT count(*)::INT FROM evm_token_balances WHERE $chain AND standard = 'native'": 0,
    },
  },
  {
    name: 'a chain with addresses in capitals, and lists that are null',
    id: 4711,
    traces: true,
    shape({ block, receipts, traces }) {
      const capitals = (text: string) => `0x${text.slice(2).toUpperCase()}`
      for (const [at, each] of block.transactions.entries()) {
        rename(each, { from: capitals(each.from), to: capitals(each.to) })
        rename(traces[at]!.result, { from: each.from, to: each.to, error: null })
        rename(receipts[at], { contractAddress: zeroAddress, root: '0x' })
      }
      rename(receipts[0].logs[0], { topics: null, data: '' })
      rename(block, { uncles: null, withdrawals: null })
    },
    facts: {
      'SELECT count(*)::INT FROM evm_logs WHERE $chain AND topic0 IS NULL AND octet_length(data) = 0': 2,
      'SELECT count(*)::INT FROM evm_contracts WHERE $chain': 0,
    },
  },
]

describe('blocks of other EVM chains', () => {
  const nodes = new Map<Chain, EvmNode>()
  const events: RunEvent[] = []
  const [lake, lakeOfLogs] = [newLake(), newLake()]

  const run = (folder: string, jobs: readonly (readonly [Pipeline, Chain])[]) =>
    runPipelines({
      nodeUrl: 'http://127.0.0.1:9',
      lake: { folder },
      jobs: jobs.map(([pipeline, chain]) => ({
        ...jobOf(pipeline, { chain: nodes.get(chain)!.url }),
        name: `${pipeline.name} of ${chain.id}`,
      })),
      stop: new AbortController().signal,
      emit: (event) => events.push(event),
    })

  beforeAll(async () => {
    for (const chain of chains) nodes.set(chain, await serve(chain))
    const traced = chains.filter(({ traces }) => traces === true)
    await run(lake, [
      ...chains.map((chain) => [evmBlocksPipeline, chain] as const),
      ...traced.map((chain) => [evmTracesPipeline, chain] as const),
    ])
    await run(
      lakeOfLogs,
      chains.map((chain) => [evmLogsPipeline, chain] as const),
    )
  }, 240_000)
  afterAll(async () => {
    for (const node of nodes.values()) await node.close()
  })

  test.each(chains)('are rows with the right values: $name', async ({ id, facts, named = [], remarks = [] }) => {
    for (const [sql, value] of Object.entries(facts)) {
      const [row] = await query(lake, sql.replaceAll('$chain', `chain_id = '${id}'`))
      expect([sql, Object.values(row ?? {})[0]]).toEqual([sql, value])
    }
    const said = events.flatMap((event) => ('message' in event ? [event.message] : []))
    const own = said.filter((message) => message.startsWith(`Responses for evm-blocks of ${id} `))
    for (const field of named) expect(own).toEqual([expect.stringContaining(field)])
    const ofBlocks = said.filter((message) => message.startsWith(`Some blocks of evm-blocks of ${id} `))
    for (const remark of remarks) expect(ofBlocks).toEqual([expect.stringContaining(remark)])
  })

  test('have the same logs in evm-logs as in evm-blocks', async () => {
    const logs = 'SELECT * FROM evm_logs ORDER BY chain_id, block_number, transaction_index, log_index'
    expect(await query(lakeOfLogs, logs)).toEqual(await query(lake, logs))
  })

  test('are a lake in which verify finds nothing', async () => {
    for (const folder of [lake, lakeOfLogs]) {
      const { findings, remarks } = await verifyLake({ lake: { folder } })
      expect(findings).toEqual([])
      const ofGas = remarks.filter(({ message }) => message.startsWith('gas and gas_used of 2 rows of evm_traces'))
      expect(ofGas).toHaveLength(folder === lake ? 1 : 0)
    }
  })
})

/** Serves a chain. */
async function serve({ id, shape, blockLogs, hasNoBlockReceipts, traces }: Chain): Promise<EvmNode> {
  const blocks = otherChain(String(id))
  for (const block of blocks.slice(1)) shape(block)
  const interfere = ({ method, params: [filter] }: Call, honest: Said): Said | undefined => {
    if (method === 'eth_chainId') return { result: hexOf(id) }
    if (method === 'eth_getBlockReceipts' && hasNoBlockReceipts === true) return { result: [] }
    if (method === 'debug_traceBlockByNumber' && id === zkSync && 'result' in honest)
      return { result: (honest.result as { result: unknown }[]).map(({ result }) => ({ result })) }
    if (method !== 'eth_getLogs' || blockLogs === undefined || !('result' in honest)) return undefined
    const asked = blocks.slice(1).filter(({ block }) => {
      const number = Number(block.number)
      return number >= Number(filter.fromBlock) && number <= Number(filter.toBlock)
    })
    return { result: asked.flatMap((each) => [...each.receipts.flatMap(({ logs }) => logs), ...blockLogs(each)]) }
  }
  return await startEvmNode(traces === true ? blocks : blocks.map(({ block, receipts }) => ({ block, receipts })), {
    interfere,
  })
}
