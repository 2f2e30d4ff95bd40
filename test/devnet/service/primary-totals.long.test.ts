import { describe, expect, test } from 'vitest'
import type { ContainerStore } from '../../../devnet/index/store.ts'
import { chainTexts, hrp, nativeAssetText, networkId } from '../../../devnet/network/genesis.ts'
import { totalsOfRoutes } from '../../../devnet/service/plumbing/route.ts'
import { createPrimaryLedger } from '../../../devnet/service/primary/ledger/ledger.ts'
import { primaryRoutes } from '../../../devnet/service/primary/routes/index.ts'
import { nodeBlocksList } from '../../../pipelines/node-blocks.ts'
import { cTransactionsList, pTransactionsList, xTransactionsList } from '../../../pipelines/rest-transactions.ts'
import { restUtxosList } from '../../../pipelines/rest-utxos.ts'
import { restValidatorsList } from '../../../pipelines/rest-validators.ts'
import { rewardsList } from '../../../pipelines/rewards.ts'
import { verticesList } from '../../../pipelines/vertices.ts'
import { decodeCContainer } from '../../../src/decode/c/rows.ts'
import { decodePContainer } from '../../../src/decode/p/rows.ts'
import { decodeXContainer } from '../../../src/decode/x/rows.ts'
import type { Page, ReadingContext } from '../../../src/define/index.ts'
import type { ChainContext, Container } from '../../../src/model.ts'
import { asking } from './asking.ts'
import { stepNetwork } from './primary-network.ts'

/** The rows that the exporter's decoders create from the routes and from the containers must match the totals. */

const steps = 1_150
const seed = 5
type Row = Readonly<Record<string, any>>

/** Sum of a column; `a.b` is the field `b` of the list `a`. */
function sumOf(rows: readonly Row[], column: string): bigint {
  const [list, field] = column.split('.') as [string, string | undefined]
  const values = rows.flatMap((row) =>
    field === undefined ? [row[list]] : (row[list] ?? []).map((each: Row) => each[field]),
  )
  return values.reduce((sum, value) => sum + BigInt(value ?? 0), 0n)
}

function compare(
  rows: readonly Row[],
  totals: { rows: number; sums: Readonly<Record<string, bigint>> },
  key: string[],
) {
  const sums = Object.fromEntries(Object.keys(totals.sums).map((column) => [column, sumOf(rows, column)]))
  expect({ rows: rows.length, sums }).toEqual({ rows: totals.rows, sums: totals.sums })
  expect(new Set(rows.map((row) => key.map((column) => row[column]).join())).size).toBe(rows.length)
}

describe.each([
  { dialect: 'node', legacy: false },
  { dialect: 'spec', legacy: true },
] as const)('totals of the routes, dialect $dialect, legacy $legacy', ({ dialect, legacy }) => {
  const ledger = createPrimaryLedger(stepNetwork({ seed, legacy }, steps, steps), seed)
  const routes = primaryRoutes(ledger)
  const ask = asking(routes, { dialect })
  const totals = () => totalsOfRoutes(routes, dialect)
  const place = (alias: keyof typeof chainTexts) => ({
    network: 'fuji',
    id: chainTexts[alias],
    alias: alias,
    parts: { network: 'fuji' },
  })
  const base = (alias: keyof typeof chainTexts) => `/v1/networks/fuji/blockchains/${chainTexts[alias]}`

  async function rowsOf(
    url: string,
    decode: (answer: unknown, context: ReadingContext) => Page,
    body?: object,
  ): Promise<Row[]> {
    const rows: Row[] = []
    const unknown: string[] = []
    const context = {
      observationId: '',
      observedAt: 0n,
      unknownField: (path: string) => unknown.push(path),
      memory: new Map(),
    }
    for (let token: string | null = null; ; ) {
      const page = `${url}${token === null ? '' : `&pageToken=${token}`}`
      const answer = await ask(page, body === undefined ? {} : { method: 'POST', body })
      expect(answer.status).toBeLessThan(300)
      const read = decode(answer.body, context)
      rows.push(...(Object.values(read.rows).flat() as Row[]))
      token = read.next
      if (token === null) break
    }
    expect(unknown).toEqual([])
    return rows
  }

  test('match the transactions of all chains', async () => {
    const expected = await totals()
    const url = (alias: keyof typeof chainTexts) => `${base(alias)}/transactions?pageSize=100`
    compare(await rowsOf(url('P'), pTransactionsList(place('P'))), expected.rest_p_transactions!, ['tx_id'])
    compare(await rowsOf(url('X'), xTransactionsList(place('X'))), expected.rest_x_transactions!, ['tx_id'])
    const atomic = await rowsOf(url('C'), cTransactionsList(place('C')))
    compare(atomic, expected.rest_c_atomic_transactions!, ['tx_id'])
  })

  test('match the UTXOs of all addresses, including spent ones', async () => {
    const state = await ledger.state()
    const rows: Row[] = []
    for (const alias of ['P', 'X', 'C'] as const) {
      const addresses = state.addresses.addresses(alias).filter((address) => !address.startsWith('0x'))
      const body = { addresses: addresses.map((address) => `${alias}-${address}`).join() }
      rows.push(
        ...(await rowsOf(`${base(alias)}/utxos?pageSize=1024&includeSpent=true`, restUtxosList(place(alias)), body)),
      )
    }
    compare(rows, (await totals()).rest_utxos!, ['blockchain_id', 'utxo_id'])
  })

  test('match the rewards of all addresses, which are UTXOs of the P-Chain', async () => {
    const state = await ledger.state()
    const addresses = state.addresses.addresses('P')
    const rewards = await rowsOf(
      `/v1/networks/fuji/rewards?pageSize=100&addresses=${addresses.join()}`,
      rewardsList({ network: 'fuji', currency: 'usd' }),
    )
    compare(rewards, (await totals()).rest_rewards!, ['utxo_id'])
    const utxos = await rowsOf(
      `${base('P')}/utxos?pageSize=100&includeSpent=true&addresses=${addresses.join()}`,
      restUtxosList(place('P')),
    )
    const byId = new Map(utxos.map((utxo) => [utxo.utxo_id, utxo]))
    for (const { utxo_id, amount, tx_id, output_index, addresses } of rewards)
      expect(byId.get(utxo_id)).toMatchObject({ amount, tx_id, output_index, addresses })
  })

  test('match the validators of every status', async () => {
    const url = '/v1/networks/fuji/validators?pageSize=100&sortBy=blockIndex&sortOrder=asc'
    const rows = await rowsOf(url, restValidatorsList({ network: 'fuji', subject: 'validators' }))
    compare(rows, (await totals()).rest_validators!, ['tx_id', 'node_id'])
    expect(new Set(rows.map((row) => row.validation_status)).size).toBeGreaterThan(2)
    const active = await rowsOf(`${url}&validationStatus=active`, restValidatorsList({ network: 'fuji', subject: 's' }))
    expect(active.length).toBe(rows.filter((row) => row.validation_status === 'active').length)
  })

  test('match the vertices, and both lists have the same ones', async () => {
    const expected = await totals()
    const rows = await rowsOf(`${base('X')}/vertices?pageSize=100`, verticesList(place('X')))
    compare(rows, expected.rest_x_vertices!, ['vertex_hash'])
    expect(rows.length > 0).toBe(legacy)
    const byHeight: Row[] = []
    for (const height of new Set(rows.map((row) => row.height))) {
      const url = `${base('X')}/vertices:listByHeight?vertexHeight=${height}&pageSize=1`
      byHeight.push(...(await rowsOf(url, verticesList(place('X')))))
    }
    expect(new Set(byHeight.map((row) => row.vertex_hash))).toEqual(new Set(rows.map((row) => row.vertex_hash)))
  })

  test('match the blocks of all nodes', async () => {
    const state = await ledger.state()
    const rows: Row[] = []
    for (const alias of ['P', 'X'] as const)
      for (const nodeId of new Set(state.proposed.map(({ proposer }) => proposer.nodeId))) {
        const url = `${base(alias)}/nodes/${nodeId}/blocks?pageSize=100`
        rows.push(...(await rowsOf(url, nodeBlocksList(place(alias), { node_id: nodeId }))))
      }
    compare(rows, (await totals()).rest_node_blocks!, ['blockchain_id', 'height'])
  })
})

describe('totals of the containers', () => {
  const network = stepNetwork({ seed }, steps, steps)
  const ledger = createPrimaryLedger(network, seed)
  const context = (chain: keyof typeof chainTexts): ChainContext => ({
    network: 'local',
    networkId,
    hrp,
    chain,
    blockchainId: chainTexts[chain],
    evmChainId: null,
    nativeAssetId: nativeAssetText,
    durangoTime: null,
    fxs: null,
  })

  async function decodeAll(
    store: ContainerStore,
    decode: (container: Container) => Readonly<Record<string, readonly Row[]>>,
  ): Promise<Record<string, Row[]>> {
    const texts = JSON.parse(`[${await store.texts(0, store.count())}]`) as { id: string; bytes: string }[]
    const rows: Record<string, Row[]> = {}
    texts.forEach(({ id, bytes }, index) => {
      const container = { index, id, acceptedAtNs: 0n, bytes: Buffer.from(bytes.slice(2, -8), 'hex') }
      for (const [table, some] of Object.entries(decode(container))) {
        rows[table] ??= []
        rows[table].push(...some)
      }
    })
    return rows
  }

  test('match the rows that the exporter decodes', async () => {
    const tables = (await ledger.state()).tally.totals()
    const p = await decodeAll(network.stores['P/block'], (each) => decodePContainer(each, context('P')))
    compare(p.blocks!, tables['p_blocks']!, ['height'])
    compare(p.transactions!, tables['p_transactions']!, ['height', 'tx_index'])
    compare(p.inputs!, tables['p_inputs']!, ['height', 'tx_index', 'input_index'])
    compare(p.outputs!, tables['p_outputs']!, ['height', 'tx_index', 'output_index'])
    compare(p.validations!, tables['p_validations']!, ['height', 'tx_index', 'position'])
    const x = await decodeAll(network.stores['X/block'], (each) => decodeXContainer(each, context('X')))
    compare(x.blocks!, tables['x_blocks']!, ['height'])
    compare(x.transactions!, tables['x_transactions']!, ['tx_id'])
    compare(x.inputs!, tables['x_inputs']!, ['tx_id', 'input_index'])
    compare(x.outputs!, tables['x_outputs']!, ['tx_id', 'output_index'])
    compare(x.assets!, tables['x_assets']!, ['asset_id'])
    compare(x.operations!, tables['x_operations']!, ['tx_id', 'operation_index'])
    const c = await decodeAll(network.stores['C/block'], (each) => decodeCContainer(each, context('C')))
    const place = ['block_number', 'tx_index']
    compare(c.atomicTransactions!, tables['c_atomic_transactions']!, place)
    compare(c.atomicInputs!, tables['c_atomic_inputs']!, [...place, 'input_index'])
    compare(c.atomicOutputs!, tables['c_atomic_outputs']!, [...place, 'output_index'])
  })
})
