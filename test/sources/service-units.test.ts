import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { type Cost, unitsOf } from '../../devnet/service/plumbing/limits.ts'
import { tpsRoute } from '../../pipelines/tps.ts'
import { readProfile } from '../../src/config/read-config.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { type ServiceRoute, serviceRoutes } from '../../src/sources/service-routes.ts'

const blockchain = '/v1/networks/{network}/blockchains/{blockchainId}'
const chain = '/v1/chains/{chainId}'
const aggregate = '/v1/signatureAggregator/{network}/aggregateSignatures'

/** Compute units by route from the provider's pages on rate limits; these no longer list the old route of TPS. */
const listed: Readonly<Record<string, number>> = {
  '/v1/chains': 1,
  [`${blockchain}/utxos`]: 100,
  [`${blockchain}/transactions`]: 100,
  '/v1/networks/{network}/rewards': 100,
  '/v1/networks/{network}/rewards:listPending': 100,
  '/v1/networks/{network}/validators': 20,
  '/v1/icm/messages': 20,
  [`${blockchain}/vertices`]: 20,
  [`${blockchain}/vertices:listByHeight`]: 20,
  [`${blockchain}/nodes/{nodeId}/blocks`]: 20,
  [`${chain}/blocks`]: 10,
  [`${chain}/tokens/{address}/transfers`]: 20,
  [`${chain}/addresses/{address}/transactions:listErc20`]: 20,
  [`${chain}/addresses/{address}/transactions:listNative`]: 20,
  [`${chain}/addresses/{address}/transactions:listErc721`]: 20,
  [`${chain}/addresses/{address}/transactions:listErc1155`]: 20,
  [`${chain}/addresses/{address}/transactions:listInternals`]: 20,
  [`${chain}/addresses/{address}/balances:getNative`]: 20,
  [`${chain}/addresses/{address}/balances:listErc20`]: 20,
  [`${chain}/addresses/{address}/balances:listErc721`]: 20,
  [`${chain}/addresses/{address}/balances:listErc1155`]: 20,
  [`${chain}/addresses/{address}/balances:listCollectibles`]: 20,
  [aggregate]: 20,
  [`${aggregate}/{txHash}`]: 20,
  '/v2/chains/{chainId}/metrics/avgTps': 100,
  '/v2/chains/{chainId}/metrics/{metric}': 100,
  '/v2/chains/{chainId}/contracts/{address}/balances': 1000,
}
const classes = {
  data: { free: 1, small: 10, medium: 20, large: 50, xl: 100, xxl: 200 },
  metrics: { free: 1, small: 20, medium: 100, large: 500, xl: 1000, xxl: 3000 },
}

test.each(['public', 'neutral', 'devnet'])(
  'the weights in the profile %s equal the units that the provider lists',
  async (name) => {
    const { weights, tpsPath } = await readProfile(name, '.', {})
    expect(weights).toEqual(classes)
    for (const { path, host, weight } of await allRoutes()) {
      const present = path === tpsRoute.path ? '/v2/chains/{chainId}/metrics/avgTps' : path
      expect([path, weights[host][weight]]).toEqual([path, listed[present]])
    }
    expect(name === 'public' ? tpsPath : '/v2/chains/{chainId}/metrics/avgTps').toBe(
      '/v2/chains/{chainId}/metrics/avgTps',
    )
  },
)

test('the simulated network counts the same units as the profiles', () => {
  for (const host of ['data', 'metrics'] as const)
    for (const [cost, units] of Object.entries(classes[host])) expect(unitsOf(host, cost as Cost)).toBe(units)
})

/** The routes that several pipelines request, and those that pipelines export, alone or several in an object. */
async function allRoutes(): Promise<readonly ServiceRoute[]> {
  const folder = join(packageRoot(), 'pipelines')
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  const modules = await Promise.all(files.map((name) => import(pathToFileURL(join(folder, name)).href)))
  const named = modules.flatMap((module: object) =>
    Object.entries(module).flatMap(([name, value]) =>
      name.endsWith('Route') ? [value] : name.endsWith('Routes') ? Object.values(value) : [],
    ),
  )
  expect(named.length).toBeGreaterThan(20)
  return [...Object.values(serviceRoutes), ...named]
}
