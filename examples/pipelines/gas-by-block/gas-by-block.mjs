// A range: the gas of each block of an EVM chain, with a source and a decoder of its own. Long ranges are read in several threads, each of
// which loads this module.
import {
  askEvmChain,
  askNode,
  DecodeError,
  derivedView,
  evmChainParameter,
  identity,
  networkColumn,
  p,
  pipeline,
  serviceStream,
  t,
  table,
  viewColumn,
} from 'chainlake'
import { quantity } from './quantity.mjs'

const blockGas = table({
  name: 'block_gas',
  comment: 'Gas of the blocks of an EVM chain.',
  key: ['network', 'chain_id', 'block_number'],
  sortBy: ['block_number'],
  partitionBy: [identity('network'), identity('chain_id')],
  unproven: { never: ['gas_used', 'gas_limit'] },
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits.'),
    block_number: t.int64('Number of the block.'),
    block_hash: t.hex('Hash of the block.'),
    block_time: t.timestamp('Time of the block (UTC).'),
    gas_used: t.u64('Gas that the transactions used.'),
    gas_limit: t.u64('Most gas that they could use.'),
  },
})

/** A view over the table: a query that each lake with this table shows to analysts. */
const gasByDay = derivedView({
  name: 'gas_by_day',
  comment: 'Gas that the transactions of a chain used on each day (UTC).',
  dependsOn: ['block_gas'],
  columns: {
    network: viewColumn(blockGas.columns.network),
    chain_id: viewColumn(blockGas.columns.chain_id),
    day: { type: 'DATE', comment: 'Day of the blocks (UTC).' },
    blocks: { type: 'BIGINT', comment: 'Number of blocks.' },
    gas_used: { type: 'DECIMAL(38,0)', comment: 'Gas that their transactions used.' },
  },
  query: `
    SELECT network, chain_id, block_date AS day, count(*) AS blocks, sum(gas_used) AS gas_used
    FROM block_gas
    GROUP BY ALL`,
})

export const gasByBlock = pipeline({
  name: 'gas-by-block',
  comment: 'Gas of each block of an EVM chain, from its JSON-RPC.',
  parameters: {
    chain: evmChainParameter,
    from: p.whole('First block number, inclusive (default: 0).'),
    to: p.whole('Last block number, exclusive (default: up to the last final block).', { least: 1 }),
  },
  reads: 'node',
  walks: ['range'],
  tables: { gas: blockGas },
  views: [gasByDay],
  async streams({ chain, from = 0, to }, facts) {
    const { endpoint, route, network, chainId, genesisHash } = await askEvmChain(chain, facts)
    const walk = {
      kind: 'range',
      record: 'block',
      what: `the blocks of chain ${chainId}`,
      endpoint,
      source: async (connection) => blocksOf(connection, endpoint, route),
      from,
      to: to ?? null,
      // Blocks per commit. A range with a fixed unit may be shared by threads.
      unit: 4_096,
      order: 'chain',
      outputs: [{ tables: { gas: blockGas }, read: readBlock }],
      // Plain data: threads get a copy.
      context: { network, chainId },
      linkOf: null,
      notice: null,
    }
    // What selects other rows belongs to the name of the stream: its parts are compared with what the lake covers.
    const stream = serviceStream(network, 'gas-by-block', { genesis: genesisHash }, chainId)
    return [{ stream, walk }]
  },
})

/** Blocks by number. Each record names its parent, so that the run notices another chain behind the same URL. */
function blocksOf(connection, endpoint, route) {
  const ask = (params, signal) =>
    askNode(
      connection,
      { host: 'node', endpoint, path: route, method: 'eth_getBlockByNumber', params },
      { parse: (answer) => answer, signal },
    )
  return {
    async head(signal) {
      return Number(quantity((await ask(['finalized', false], signal))?.number, 'number'))
    },
    windowSize: () => 40,
    window: (from, to, signal) =>
      Promise.all(
        Array.from({ length: to - from }, async (_, position) => {
          const at = from + position
          const block = await ask([`0x${at.toString(16)}`, false], signal)
          if (block?.number !== `0x${at.toString(16)}`) throw new DecodeError(`The node does not return block ${at}.`)
          return block
        }),
      ),
    at: (block) => Number(block.number),
    link: (block) => ({ id: block.hash, parentId: block.parentHash }),
  }
}

/** Pure: the rows of a block. An error names the field, and stops the unit. */
function readBlock(block, { network, chainId }) {
  return {
    gas: [
      {
        network,
        chain_id: chainId,
        block_number: Number(block.number),
        block_hash: block.hash,
        // Microseconds since 1970.
        block_time: quantity(block.timestamp, 'timestamp') * 1_000_000n,
        gas_used: quantity(block.gasUsed, 'gasUsed'),
        gas_limit: quantity(block.gasLimit, 'gasLimit'),
      },
    ],
  }
}
