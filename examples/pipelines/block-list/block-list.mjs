// A list of the REST service, newest first: the sizes of the blocks of an EVM chain.
import { fields, identity, networkColumn, p, pipeline, serviceStream, t, table } from 'chainlake'

const blockSizes = table({
  name: 'block_sizes',
  comment: 'Transactions and gas of the blocks of EVM chains, as the REST service lists them.',
  key: ['network', 'chain_id', 'block_number'],
  sortBy: ['chain_id', 'block_number'],
  partitionBy: [identity('network'), identity('chain_id')],
  unproven: { never: ['transaction_count', 'gas_used'] },
  columns: {
    ...networkColumn,
    chain_id: t.address('EVM chain id in decimal digits.'),
    block_number: t.int64('Number of the block.'),
    block_time: t.timestamp('Time of the block (UTC).'),
    block_hash: t.hex('Hash of the block.'),
    transaction_count: t.int64('Number of transactions.'),
    gas_used: t.int64('Gas that the transactions used; null where the service leaves it out.', { nullable: true }),
  },
})

export const blockList = pipeline({
  name: 'block-list',
  comment: 'Sizes of the blocks of an EVM chain, newest first, from the REST service.',
  parameters: {
    network: p.text.required('Network of the chain, such as mainnet.'),
    'chain-id': p.text.required('EVM chain id in decimal digits.'),
  },
  reads: 'service',
  walks: ['pageChain'],
  tables: { sizes: blockSizes },
  streams: ({ network, 'chain-id': chainId }) => {
    const list = {
      request: (token) => ({
        host: 'data',
        method: 'GET',
        path: `/v1/chains/${encodeURIComponent(chainId)}/blocks`,
        query: { pageSize: 100, pageToken: token ?? undefined },
        weight: 'small',
      }),
      decode: (answer, context) => {
        const at = fields.answerObject(answer, 'answer', context)
        const sizes = fields.objects(at, 'blocks', (block) => sizeRow(block, network, chainId))
        const items = sizes.map(({ block_number, block_time }) => ({
          key: String(block_number),
          time: Number(block_time / 1_000_000n),
        }))
        return { rows: { sizes }, items, next: fields.nextPageToken(at) }
      },
    }
    const stream = serviceStream(network, 'block-list', {}, chainId)
    return [{ stream, walk: { kind: 'pageChain', list, trailing: 3_600 } }]
  },
})

function sizeRow(at, network, chainId) {
  // A run reports the fields of an answer that its decoder does not know. These are known, and left out.
  fields.ignore(at, 'chainId', 'parentHash', 'blockTimestampMilliseconds', 'blockMinDelayExcess', 'gasLimit', 'gasCost')
  fields.ignore(at, 'baseFee', 'feesSpent', 'cumulativeTransactions')
  return {
    network,
    chain_id: chainId,
    block_number: fields.count(at, 'blockNumber'),
    block_time: fields.time(at, 'blockTimestamp'),
    block_hash: fields.hash(at, 'blockHash'),
    transaction_count: fields.count(at, 'txCount'),
    gas_used: fields.optionalInt64(at, 'gasUsed'),
  }
}
