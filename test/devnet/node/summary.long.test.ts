import { request } from 'undici'
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeExactly, versioned } from '../../../codec/linear.ts'
import { pUtxo } from '../../../codec/p.ts'
import { xUtxo } from '../../../codec/x.ts'
import { servedDevnet } from '../served.ts'
import { resultOf } from './calling.ts'

describe('the summary of the simulated network', () => {
  const devnet = servedDevnet({ seed: 37, blocks: 1_000 })
  let summary: { rows: Record<string, number>; sums: Record<string, string> }
  beforeAll(async () => {
    summary = (await (await request(`${devnet.url}/devnet/summary`)).body.json()) as typeof summary
  })
  const primary = '11111111111111111111111111111111LpoYY'
  const p = (method: string, params: object = {}) => resultOf(devnet, '/ext/bc/P', `platform.${method}`, params)
  const sumOf = (rows: readonly any[], field: string) => String(rows.reduce((sum, row) => sum + BigInt(row[field]), 0n))

  /** All subnets, from the transactions that created them. */
  async function subnets(): Promise<string[]> {
    const found = [primary]
    for (let height = 1; height <= 1_000; height += 1) {
      const { block } = await p('getBlockByHeight', { height, encoding: 'json' })
      for (const { id, unsignedTx } of block.txs ?? []) if (unsignedTx.owner !== undefined) found.push(id)
    }
    return found
  }

  test('counts the validators, delegators and supplies that the node returns for all subnets', async () => {
    const all = await subnets()
    const [validators, delegators, l1, supplies] = [[], [], [], []] as any[][]
    for (const subnetID of all) {
      const { validators: found } = await p('getCurrentValidators', { subnetID })
      for (const each of found) (each.validationID === undefined ? validators! : l1!).push(each)
      for (const { nodeID, delegatorCount } of found) {
        if (Number(delegatorCount ?? 0) === 0) continue
        const [alone] = (await p('getCurrentValidators', { subnetID, nodeIDs: [nodeID] })).validators
        delegators!.push(...alone.delegators)
      }
      const supply = await p('getCurrentSupply', { subnetID }).catch(() => null)
      if (supply !== null) supplies!.push(supply)
    }
    expect({
      node_validators: validators!.length,
      node_delegators: delegators!.length,
      node_l1_validators: l1!.length,
      node_supply: all.length,
      node_blockchains: (await p('getBlockchains')).blockchains.length,
    }).toEqual({
      node_validators: summary.rows['node_validators'],
      node_delegators: summary.rows['node_delegators'],
      node_l1_validators: summary.rows['node_l1_validators'],
      node_supply: summary.rows['node_supply'],
      node_blockchains: summary.rows['node_blockchains'],
    })
    expect(summary.sums).toMatchObject({
      'node_validators.weight': sumOf(validators!, 'weight'),
      'node_delegators.weight': sumOf(delegators!, 'weight'),
      'node_l1_validators.balance': sumOf(l1!, 'balance'),
      'node_supply.supply': sumOf(supplies!, 'supply'),
    })
    expect(delegators!.length).toBeGreaterThan(0)
  })

  test('counts the UTXOs and the assets that the node returns for all chains', async () => {
    let [rows, sum] = [0, 0n]
    const assets = new Set<string>()
    for (const [chain, path, service] of [
      ['P', '/ext/bc/P', 'platform'],
      ['X', '/ext/bc/X', 'avm'],
    ] as const) {
      const text = await (await request(`${devnet.url}/devnet/addresses?of=${chain.toLowerCase()}`)).body.text()
      const addresses = text
        .trim()
        .split('\n')
        .map((address) => `${chain}-${address}`)
      // The same UTXOs as in the example: each chain's own ones, and those that the C-Chain has exported to the P-Chain.
      for (const sourceChain of chain === 'P' ? ['P', 'C'] : ['X']) {
        const found = new Set<string>()
        for (const address of addresses) {
          const source = sourceChain === chain ? {} : { sourceChain }
          const { utxos } = await resultOf(devnet, path, `${service}.getUTXOs`, { addresses: [address], ...source })
          expect(utxos.length).toBeLessThan(1_024)
          for (const utxo of utxos) found.add(utxo)
        }
        rows += found.size
        for (const utxo of found) {
          const bytes = Buffer.from(utxo.slice(2, -8), 'hex')
          const { output }: any = decodeExactly<any>(chain === 'P' ? versioned(pUtxo) : versioned(xUtxo), bytes, 'utxo')
          sum += (output.output ?? output).amount ?? 0n
        }
      }
    }
    expect({ rows, sum: String(sum) }).toEqual({
      rows: summary.rows['node_utxos'],
      sum: summary.sums['node_utxos.amount'],
    })
    for (let height = 1; height <= 1_000; height += 1) {
      const { block } = await resultOf(devnet, '/ext/bc/X', 'avm.getBlockByHeight', { height, encoding: 'json' })
      for (const { id, unsignedTx } of block.txs) if (unsignedTx.initialStates !== undefined) assets.add(id)
    }
    for (const assetID of assets) {
      const described = await resultOf(devnet, '/ext/bc/X', 'avm.getAssetDescription', { assetID })
      expect(described).toMatchObject({ assetID, denomination: expect.stringMatching(/^\d+$/) })
    }
    // No transaction in a block created the native asset.
    expect(summary.rows['node_assets']).toBe(assets.size + 1)
  })

  test('counts the health reports and each of their checks', async () => {
    const reports = ['/ext/health', '/ext/health/health', '/ext/health/readiness', '/ext/health/liveness']
    const answers: any[] = []
    for (const path of reports) answers.push(await (await request(`${devnet.url}${path}`)).body.json())
    for (const name of ['health', 'readiness', 'liveness'])
      answers.push(await resultOf(devnet, '/ext/health', `health.${name}`))
    const checks = answers.reduce((sum, report) => sum + Object.keys(report.checks).length, 0)
    expect([summary.rows['node_health_reports'], summary.rows['node_health']]).toEqual([answers.length, checks])
  })
})
