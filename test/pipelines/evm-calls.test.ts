import { afterEach, describe, expect, test } from 'vitest'
import { evmCallsPipeline } from '../../pipelines/evm-calls.ts'
import { callInputs } from '../../pipelines/shared/contract-abi.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { type StateNodeOptions, startStateNode, stateCalls } from '../recorded-state.ts'
import { newLake, query } from '../run/lake-run.ts'
import { runState } from './state-runs.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function serve(options: StateNodeOptions = {}) {
  const node = await startStateNode(options)
  cleanups.push(node.close)
  return node
}

const recorded = stateCalls('eth_call').filter(({ params: [, block] }) => block === '0x52')
const codes = new Map(
  stateCalls('eth_getCode').map(({ params: [address, block], result }) => [`${address} ${block}`, result]),
)
/** Contracts with recorded code, so that the node can answer all that a run requests. */
const contracts = [...new Set(recorded.map(({ params: [{ to }] }) => to as string))].filter((to) =>
  codes.has(`${to} 0x52`),
)
const inputs = ['0x06fdde03', '0x95d89b41', '0x313ce567', '0x18160ddd', '0x8da5cb5b']

describe('calls of a recorded chain', () => {
  test('have what the node said, whether functions or inputs are given', async () => {
    const [lake, node] = [newLake(), await serve()]
    const calls = [
      'function name() view returns (string)',
      'function totalSupply() view returns (uint256)',
      ...inputs.filter((input) => input !== '0x06fdde03'),
    ]
    await runState(lake, node.url, [[evmCallsPipeline, { contracts, calls, blocks: ['82', '164'] }]])
    const rows = await query(
      lake,
      "SELECT contract, '0x' || lower(hex(input)) AS input, block_number::INT AS number, status, '0x' || lower(hex(output)) AS output, error, function, outputs FROM evm_calls",
    )
    expect(rows.length).toBe(contracts.length * inputs.length * 2)
    for (const row of rows) {
      const { contract, input, number } = row as Record<string, any>
      const said = stateCalls('eth_call').find(
        ({ params: [call, block] }) => call.to === contract && call.data === input && Number(block) === number,
      )!
      const code = codes.get(`${contract} 0x${number.toString(16)}`)
      if (said.error !== undefined) expect(row).toMatchObject({ output: null, error: said.error.message })
      else
        expect(row).toMatchObject(
          code === '0x' ? { status: 'no_code', output: null } : { status: 'ok', output: said.result },
        )
    }
    expect(rows.filter(({ function: called }) => called !== null).length).toBe(contracts.length * 4)
    expect(rows.filter(({ outputs }) => outputs !== null).length).toBeGreaterThan(2)
    expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
  })

  test('end with a failure where the node did not execute them', async () => {
    const node = await serve({
      interfere: ({ method }) =>
        method === 'eth_call' ? { error: { code: -32002, message: 'request timed out' } } : undefined,
    })
    const job = { contracts: contracts.slice(0, 1), calls: ['0x06fdde03'], blocks: ['82'] }
    await expect(runState(newLake(), node.url, [[evmCallsPipeline, job]])).rejects.toMatchObject({
      message: expect.stringContaining('Block 82: '),
      hint: expect.stringContaining('api-max-duration'),
    })
  })
})

describe('the calls of a job', () => {
  const job = (values: object) =>
    runState(newLake(), 'http://127.0.0.1:1', [[evmCallsPipeline, { contracts, blocks: ['1'], ...values }]])

  test.each([
    [{ calls: ['function f(address)'] }, 'The function f has parameters, but the job has no arguments.'],
    [{ calls: ['function f(address)'], arguments: ['0x12'] }, 'arguments[0][0] must be address'],
    [{ calls: ['function f(address, uint8)'], arguments: ['["0x12"'] }, 'are no JSON'],
    [{ calls: ['function f(uint8[2] a)'], arguments: ['[[1]]'] }, 'arguments[0][0] must be a list of 2'],
    [{}, 'The job names no function.'],
    [{ calls: ['decimals'] }, 'The job has no ABI with a function decimals.'],
    [{ calls: ['mint'], abi: ['function decimals() view returns (uint8)'] }, 'The ABI has no function mint.'],
    [{ abi: ['function mint(address to)', 'function pause()'] }, 'The ABI has no view function without parameters.'],
  ])('are refused before any request: %j', async (values, message) => {
    await expect(job(values)).rejects.toThrow(message)
  })

  test('are the view functions of its ABI without parameters, or those that it names, all of one name', async () => {
    const abi = [
      'function decimals() view returns (uint8)',
      'function balanceOf(address owner) view returns (uint256)',
      'function tokens() view returns (address[])',
      'function tokens(address owner) view returns (address[])',
      'function pause()',
    ]
    const namesOf = async (calls: string[] | undefined, given?: string[]) =>
      (await callInputs({ calls, abi, given })).map(({ called }) => called?.name ?? null)
    expect(await namesOf(undefined)).toEqual(['decimals', 'tokens'])
    const owner = `0x${'12'.repeat(20)}`
    expect(await namesOf(['balanceOf', 'tokens', '0x12345678'], [owner])).toEqual([
      null,
      'balanceOf',
      'tokens',
      'tokens',
    ])
  })
})
