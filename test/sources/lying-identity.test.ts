import { afterAll, expect, test } from 'vitest'
import type { NetworkFacts } from '../../src/catalog/catalog.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { knownNetworks } from '../../src/sources/known-networks.ts'
import { identifyNetwork } from '../../src/sources/node.ts'
import { createLake, newLakeDir, tables } from '../catalog/lake.ts'
import { quick, startServer } from '../fetch/local-server.ts'
import { createTally, type UnnoticedLies } from '../unnoticed-lies.ts'

/**
 * A node lies about each field that says to which network it belongs. Then a run takes it for the same network as without the lie; or knows
 * less of it, and says so; or is refused. `unnoticed` lists the lies that are believed: only a lake without the network believes them.
 */

type Answers = Readonly<Record<string, unknown>>

const [mainnet, fuji] = [knownNetworks[1]!, knownNetworks[5]!]
const [p, x, c, asset] = [
  '11111111111111111111111111111111LpoYY',
  '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
  '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
  '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
]
const chain = (id: string, name: string, subnetID = p) => ({ id, name, subnetID, vmID: asset })
const nodeOf = (networkID: string, assetID: string, xId: string, cId: string): Answers => ({
  'info.getNetworkID': { networkID },
  'info.getBlockchainID X': { blockchainID: xId },
  'info.getBlockchainID C': { blockchainID: cId },
  'info.upgrades': { durangoTime: '2020-12-05T05:00:00Z' },
  'platform.getStakingAssetID': { assetID },
  'platform.getBlockchains': {
    blockchains: [chain(asset, 'X-Chain', asset), chain(cId, 'C-Chain'), chain(xId, 'X-Chain')],
  },
})
const nodes: Readonly<Record<string, Answers>> = {
  local: nodeOf('12345', asset!, x!, c!),
  mainnet: nodeOf('1', mainnet.nativeAssetId, mainnet.chains[1]!.blockchainId, mainnet.chains[2]!.blockchainId),
}

/** Values that no field has in truth. */
const wrong: readonly unknown[] = [
  undefined,
  null,
  '',
  'none',
  -5,
  5e30,
  true,
  [],
  {},
  { toString: 1 },
  ['12345'],
  '\u001b[2J',
  'x'.repeat(100_000),
]
const lies: Readonly<Record<string, readonly unknown[]>> = {
  'info.getNetworkID networkID': ['1', '5', '2', '88003', 12345, '012345', '12345 ', '0x3039', '4294967296', '1e3'],
  'info.getBlockchainID X blockchainID': [p, c, mainnet.chains[1]!.blockchainId, x!.replace('2e', '2f')],
  'info.getBlockchainID C blockchainID': [p, x, mainnet.chains[2]!.blockchainId, c!.toLowerCase()],
  'info.upgrades durangoTime': ['0001-01-01T00:00:00Z', '9999-12-05T05:00:00Z', '2020-12-05', '2024-03-06T16:00:00Z'],
  'platform.getStakingAssetID assetID': [p, fuji.nativeAssetId, mainnet.nativeAssetId, 'AVAX'],
  'platform.getBlockchains blockchains': [
    [null, 'none', {}],
    [chain(x!, 'C-Chain'), chain(c!, 'X-Chain')],
    [chain(asset!, 'X-Chain'), chain(c!, 'C-Chain')],
    [chain(x!, 'X-Chain', asset), chain(c!, 'C-Chain', asset)],
  ],
}

const unnoticed: UnnoticedLies = [
  // Only blocks state the number of a network that is not public.
  ['first', /^info.getNetworkID .*"(?:2|88003)".*, local/],
  // Nothing else states these facts.
  ['first', /^info.upgrades .*"(?:\d{4}-\d\d-\d\dT.*)".*, local/],
  ['first', /^platform.getStakingAssetID .*"1+LpoYY".*, local/],
]
const tally = createTally(unnoticed)

let answers: Answers = {}
const server = await startServer(({ body }) => {
  const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: Record<string, string> }
  const result = answers[[method, ...Object.values(params)].join(' ')]
  const error = { code: -32601, message: "can't find method" }
  return { body: JSON.stringify(result === undefined ? { error, id } : { result, id }) }
})
const connection = createTransport({ baseUrl: server.url, ...quick, tries: 1 })
afterAll(async () => {
  await connection.close()
  await server.close()
})

const identify = (said: Answers) => {
  answers = said
  return identifyNetwork(connection)
}
const codeOf = (error: { readonly code?: string }) => error.code ?? `${error}`

const lakes = new Map<string, ReturnType<typeof createLake>>()
/** A lake with rows of a network; what it refuses does not change it. */
async function lakeOf(facts: NetworkFacts) {
  const lake = await (lakes.get(facts.network) ?? createLake({ folder: newLakeDir() }, tables))
  lakes.set(facts.network, Promise.resolve(lake))
  await lake.recordNetwork(facts)
  return lake
}

/** What is wrong with the outcome: the lie was believed by a lake without the network (`first`) or with it (`later`), or facts are missing. */
async function outcomeOf(truth: Answers, said: Answers): Promise<string | null> {
  const { warnings: _, ...honest } = await identify(truth)
  const found = await identify(said).catch(codeOf)
  if (typeof found === 'string') return /^[a-z]+\.[a-z-]+$/.test(found) ? null : found
  const { warnings, ...facts } = found
  const isTrue = Object.entries(facts).every(([name, fact]) => {
    const other = honest[name as keyof typeof honest]
    const isSame = (one: unknown) => JSON.stringify(other).includes(JSON.stringify(one))
    return fact === null || (Array.isArray(fact) ? fact.every(isSame) : fact === other)
  })
  if (isTrue) return JSON.stringify(facts) === JSON.stringify(honest) || warnings.length > 0 ? null : 'unsaid'
  const lake = await lakeOf(honest)
  return lake.recordNetwork(facts).then(
    () => 'later',
    () => 'first',
  )
}

test.each(Object.keys(nodes))('lies of a node of %s about its network', async (network) => {
  const truth = nodes[network]!
  const unexpected: string[] = []
  for (const [field, special] of Object.entries(lies)) {
    const [, method = '', name = ''] = /^(.*) (\S+)$/.exec(field)!
    const results = [undefined, null, 'none', [], ...[...wrong, ...special].map((value) => ({ [name]: value }))]
    for (const result of results) {
      const outcome = await outcomeOf(truth, { ...truth, [method]: result })
      const text = `${method} ${JSON.stringify(result)?.slice(0, 200)}, ${network}`
      if (outcome !== null && !tally.isKnown(outcome, text)) unexpected.push(`${outcome}: ${text}`)
    }
  }
  expect(unexpected).toEqual([])
})

test('each lie that goes unnoticed was told', () => {
  expect(tally.untold()).toEqual([])
})
