// A JSON-RPC reading: each run asks a node for the price of gas, and stores one row.
import {
  askEvmChain,
  DecodeError,
  evmChainParameter,
  identity,
  networkColumn,
  nodeStream,
  observationColumns,
  pipeline,
  t,
  table,
} from 'chainlake'

const gasPrices = table({
  name: 'gas_prices',
  comment: 'Price of gas that a node suggests, one row per observation.',
  key: ['network', 'chain_id', 'observation_id'],
  sortBy: ['chain_id'],
  partitionBy: [identity('network')],
  // Each run stores all rows again. The view gas_prices_latest shows those of the newest one.
  history: 'observations',
  // Nothing else in a lake holds this value, so chainlake verify cannot check it.
  unproven: { never: ['price'] },
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits.'),
    ...observationColumns,
    price: t.decimal38('Price in wei per gas (eth_gasPrice).'),
  },
})

export const gasPrice = pipeline({
  name: 'gas-price',
  comment: 'Price of gas of an EVM chain, from its JSON-RPC.',
  parameters: { chain: evmChainParameter },
  reads: 'node',
  walks: ['snapshot'],
  tables: { prices: gasPrices },
  async streams({ chain }, facts) {
    const { endpoint, route, network, chainId } = await askEvmChain(chain, facts)
    const list = {
      request: () => ({ host: 'node', endpoint, path: route, method: 'eth_gasPrice', params: [] }),
      decode: (answer, { observationId, observedAt }) => ({
        rows: {
          prices: [
            {
              network,
              chain_id: chainId,
              subject: chainId,
              observation_id: observationId,
              observed_at: observedAt,
              price: quantity(answer),
            },
          ],
        },
        items: [],
        next: null,
      }),
    }
    const stream = nodeStream(network, 'gas-price', {}, chainId)
    return [{ stream, walk: { kind: 'snapshot', subjects: [{ name: chainId, lists: [list] }] } }]
  },
})

/** A quantity of JSON-RPC, such as 0x5d21dba00. It may pass 2^53, so it is a bigint. */
function quantity(answer) {
  if (typeof answer === 'string' && /^0x[0-9a-f]{1,30}$/.test(answer)) return BigInt(answer)
  throw new DecodeError(`eth_gasPrice is no quantity: ${JSON.stringify(answer)}.`)
}
