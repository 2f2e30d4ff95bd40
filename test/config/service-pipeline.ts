import { identity, p, pipeline, serviceStream, t, table } from '../../src/define/index.ts'

const lists = table({
  name: 'test_items',
  comment: 'Items of a list.',
  key: ['network'],
  sortBy: [],
  partitionBy: [identity('network')],
  columns: { network: t.text('Network.') },
})

const address = { source: '^0x[0-9a-f]{4}$', says: 'must be 0x and 4 digits' }

/** A pipeline with a parameter of every kind. */
export const itemsPipeline = pipeline({
  name: 'items',
  comment: 'Items of a service.',
  parameters: {
    network: p.text.required('Network of the rows.', { pattern: { source: '^[a-z]+$', says: 'must be a name' } }),
    'chain-id': p.text('EVM chain id.'),
    kind: p.text('Kind of items.', { choices: ['old', 'new'] }),
    wallets: p.list('Wallets.', { pattern: address }),
    'page-size': p.whole('Items a page.', { least: 1, most: 100 }),
    since: p.time('First second.'),
    all: p.boolean('All of them.'),
    'unit-pages': p.whole('Pages a commit.', { least: 1 }),
  },
  reads: 'service',
  walks: ['pageChain'],
  tables: { lists },
  streams: ({ network, wallets = [] }) => [
    {
      stream: serviceStream(network, 'items', { wallets }),
      tables: { lists },
      walk: {
        kind: 'pageChain',
        list: {
          request: () => ({ host: 'data', method: 'GET', path: '/items', query: { wallets }, weight: 'small' }),
          decode: () => ({ rows: { lists: [] }, items: [], next: null }),
        },
        trailing: 0,
      },
    },
  ],
})
