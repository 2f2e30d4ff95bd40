import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../codec/containers.ts'
import { pBlockJson } from '../../../devnet/node/json.ts'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { createTransport } from '../../../src/fetch/transport.ts'
import { createIndexApi } from '../../../src/sources/node-index.ts'
import { quick } from '../../fetch/local-server.ts'
import { parseNodeJson } from '../../recorded.ts'
import { callNode, recordedOf, resultOf } from './calling.ts'
import { shapeOf } from './shapes.ts'

const primary = '11111111111111111111111111111111LpoYY'
const blocks = 2_600

type Tx = { id: string; unsignedTx: any }

/** Heights of the blocks that abort a proposal. */
const aborts = new Set<bigint>()

/** Accepted transactions, from the node's JSON of every block. */
function acceptedIn(json: readonly any[]): Tx[] {
  return json.flatMap((block, at): Tx[] => {
    const next = json[at + 1]
    const isAborted = next !== undefined && aborts.has(next.height)
    return [...(block.txs ?? []), ...(block.tx === undefined || isAborted ? [] : [block.tx])]
  })
}

describe('validators of the simulated network', () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-validators-'))
  let devnet: Devnet
  let accepted: Tx[]
  /** Stakes that ended. Aborted rewards are included, because they end a stake, too. */
  let ended: Set<string>
  let time: bigint
  beforeAll(async () => {
    devnet = await startDevnet({ seed: 11, blocks, cacheDir })
    const transport = createTransport({ baseUrl: devnet.url, ...quick })
    const api = createIndexApi(transport, 'P/block')
    const containers = []
    for (let from = 0; from < blocks; from += 1_024)
      containers.push(...(await api.window(from, Math.min(blocks, from + 1_024))))
    await transport.close()
    const inner = containers.map(({ bytes }) => unwrap(bytes).block)
    // Type ids 1 and 30 are abort blocks.
    for (const [at, bytes] of inner.entries()) if ([1, 30].includes(bytes[5]!)) aborts.add(BigInt(at + 1))
    const json = inner.map((bytes) => pBlockJson(bytes, 'local') as any)
    accepted = acceptedIn(json)
    const rewards = json.flatMap((block) => (block.tx?.unsignedTx.txID === undefined ? [] : [block]))
    const renewing = (block: any) =>
      block.tx.unsignedTx.timestamp !== undefined && !aborts.has(block.height + 1n) ? [] : [block.tx.unsignedTx.txID]
    ended = new Set(rewards.flatMap(renewing))
    time = json.at(-1)!.time
  })
  afterAll(async () => {
    await devnet.close()
    rmSync(cacheDir, { recursive: true, force: true })
  })
  const validators = async (params: object = {}): Promise<any[]> =>
    (await resultOf(devnet, '/ext/bc/P', 'platform.getCurrentValidators', params)).validators

  test('are those with a stake that was accepted and has not ended', async () => {
    const running = accepted.filter(({ id, unsignedTx }) => unsignedTx.stake !== undefined && !ended.has(id))
    const ofPrimary = running.filter(({ unsignedTx: tx }) => tx.subnetID === undefined || tx.subnetID === primary)
    const isDelegation = ({ unsignedTx: tx }: Tx) => tx.shares === undefined && tx.delegationShares === undefined
    const found = await validators()
    const expected = ofPrimary.filter((tx) => !isDelegation(tx)).map(({ id }) => id)
    // Auto-renewed stakes that were configured to end do so by a committed reward, which looks like a renewal.
    const renewed = new Set(running.filter(({ unsignedTx: tx }) => tx.period !== undefined).map(({ id }) => id))
    const plain = (ids: string[]) => ids.filter((id) => !renewed.has(id)).sort()
    expect(plain(found.map(({ txID }) => txID))).toEqual(plain(expected))
    expect(found.length).toBeGreaterThan(20)
    for (const { txID, delegatorCount, delegatorWeight, nodeID } of found) {
      const delegations = ofPrimary.filter((tx) => isDelegation(tx) && tx.unsignedTx.validator.nodeID === nodeID)
      expect({ txID, delegatorCount }).toEqual({ txID, delegatorCount: String(delegations.length) })
      const weight = delegations.reduce((sum, { unsignedTx }) => sum + (unsignedTx.validator.weight as bigint), 0n)
      expect(delegatorWeight).toBe(String(weight))
      const [alone] = await validators({ nodeIDs: [nodeID] })
      expect(alone.delegators.map((each: any) => each.txID).sort()).toEqual(delegations.map(({ id }) => id).sort())
    }
    expect(found.some(({ delegatorCount }) => delegatorCount !== '0')).toBe(true)
    for (const { endTime } of found) expect(BigInt(endTime)).toBeGreaterThanOrEqual(time)
  })

  test('of subnets are added by the owner, stake the asset of the subnet, or have an L1 balance', async () => {
    const { blockchains } = await resultOf(devnet, '/ext/bc/P', 'platform.getBlockchains')
    const subnets = accepted.flatMap(({ id, unsignedTx: tx }) => (tx.owner === undefined ? [] : [id]))
    expect(blockchains.length).toBeGreaterThan(10)
    const permissioned: string[] = []
    const elastic: string[] = []
    const l1: any[] = []
    for (const subnetID of subnets) {
      for (const each of await validators({ subnetID })) {
        if (each.validationID !== undefined) l1.push({ subnetID, ...each })
        else if (each.delegationFee === undefined) permissioned.push(each.txID)
        else elastic.push(each.txID)
      }
    }
    const added = new Map<string, string>()
    for (const { id, unsignedTx: tx } of accepted) {
      const isAdding = tx.validator?.subnetID !== undefined
      if (isAdding && tx.validator.end > time) added.set(`${tx.validator.subnetID} ${tx.validator.nodeID}`, id)
      else if (tx.nodeID !== undefined && tx.period === undefined) added.delete(`${tx.subnetID} ${tx.nodeID}`)
    }
    expect(permissioned.sort()).toEqual([...added.values()].sort())
    expect(permissioned.length).toBeGreaterThan(0)
    const stakes = accepted.filter(({ id, unsignedTx: tx }) => {
      return tx.stake !== undefined && tx.subnetID !== undefined && tx.subnetID !== primary && !ended.has(id)
    })
    expect(elastic.sort()).toEqual(stakes.map(({ id }) => id).sort())
    expect(l1.length).toBeGreaterThan(20)
    expect(new Set(l1.map(({ validationID }) => validationID)).size).toBe(l1.length)
    // A disabled validator keeps its weight but has no balance.
    expect(l1.filter(({ balance, weight }) => balance === '0' && weight !== '0').length).toBeGreaterThan(0)
    const known = new Set(accepted.flatMap(({ unsignedTx: tx }) => (tx.disableAuthorization ? [tx.validationID] : [])))
    for (const { validationID, balance } of l1) expect(balance === '0').toBe(known.has(validationID))
  })

  test.each([
    { recording: 'live', name: 'a staker with delegators', has: 'delegators', body: /"nodeIDs":\["[^"]*"\]/ },
    { recording: 'helicon', name: 'one that renews itself', has: 'nextPeriod', body: /"params":\{\}/ },
    { recording: 'helicon', name: 'one of an L1', has: 'validationID', body: /subnetID/ },
  ])('have the same shape as on a recorded node: $name', async ({ recording, has, body }) => {
    const recorded = recordedOf(recording, /^platform.getCurrentValidators$/)
      .filter(({ request }) => body.test(request.body ?? ''))
      .flatMap(({ answer }) => parseNodeJson(answer!.body).result?.validators ?? [])
    const suits = (each: any) =>
      each[has] !== undefined &&
      each[has].length !== 0 &&
      each.signer !== null &&
      each.deactivationOwner?.addresses.length !== 0
    const subnets = accepted.flatMap(({ id, unsignedTx: tx }) => (tx.owner === undefined ? [] : [id]))
    const mine = [...(await validators())]
    for (const subnetID of subnets) mine.push(...(await validators({ subnetID })))
    for (const { nodeID } of mine.filter(({ delegatorCount = '0' }) => delegatorCount !== '0').slice(0, 2))
      mine.push(...(await validators({ nodeIDs: [nodeID] })))
    const [one, other] = [recorded.find(suits), mine.find((each) => suits(each) && (each.validationID || each.signer))]
    expect(shapeOf(other)).toEqual(shapeOf(one))
  })

  test('of an unknown node or subnet get the same answer as on the recorded node', async () => {
    for (const { name, request, answer } of recordedOf('helicon', /^platform.getCurrentValidators$/)) {
      if (!/unknown node|bad node/.test(name)) continue
      const { params } = parseNodeJson(request.body!)
      const found = await callNode(devnet, '/ext/bc/P', 'platform.getCurrentValidators', params)
      expect({ name, found }).toEqual({ name, found: parseNodeJson(answer!.body) })
    }
    expect(await validators({ subnetID: '2wkBET2rRgE8pahuaczxKbmv7ciehqsne57F9gtzf1PVcUJEQG' })).toEqual([])
  })

  test('the primary network and permissionless subnets have a supply, and the X-Chain has the recorded fees', async () => {
    const { supply, height } = await resultOf(devnet, '/ext/bc/P', 'platform.getCurrentSupply')
    expect(height).toBe(String(blocks))
    expect(BigInt(supply)).toBeGreaterThan(400_000_000_000_000_000n)
    const elastic = accepted.filter(({ unsignedTx: tx }) => tx.maximumSupply !== undefined)
    expect(elastic.length).toBeGreaterThan(0)
    for (const { unsignedTx: tx } of elastic) {
      const found = await resultOf(devnet, '/ext/bc/P', 'platform.getCurrentSupply', { subnetID: tx.subnetID })
      expect(BigInt(found.supply)).toBeGreaterThanOrEqual(tx.initialSupply)
    }
    for (const { name, request, answer } of recordedOf('helicon', /^platform.getCurrentSupply$/)) {
      if (/getCurrentSupply$/.test(name)) continue
      const { params } = parseNodeJson(request.body!)
      expect(await callNode(devnet, '/ext/bc/P', 'platform.getCurrentSupply', params)).toEqual(
        parseNodeJson(answer!.body),
      )
    }
    const [fees] = recordedOf('granite', /^avm.getTxFee$/)
    expect(await callNode(devnet, '/ext/bc/X', 'avm.getTxFee')).toEqual(parseNodeJson(fees!.answer!.body))
  })
})
