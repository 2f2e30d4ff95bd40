/** A page of the data dictionary: the tables and views of one source. */
export type TablesPage = {
  /** Name of the file in `docs/reference/tables`. */
  readonly file: string
  readonly title: string
  readonly intro: string
  readonly has: RegExp
}

/** The pages, in the order of the index. Each table and view belongs to exactly one of them. */
export const tablesPages: readonly TablesPage[] = [
  {
    file: 'lake',
    title: 'The lake and several chains',
    intro:
      'What the lake has read, which chains it knows, raw containers (blocks or vertices as the index API returns them), and views over several chains.',
    has: /^(chains|containers|observations|coverage|cross_chain_transfers|address_activity)$/,
  },
  {
    file: 'p-chain',
    title: 'The P-Chain',
    intro:
      'Blocks and transactions of the Platform Chain of Avalanche: staking, subnets, L1s and UTXOs. They are decoded from bytes of a node.',
    has: /^p_/,
  },
  {
    file: 'x-chain',
    title: 'The X-Chain',
    intro:
      'Blocks, vertices and transactions of the Exchange Chain of Avalanche, and of other chains of the same kind: assets and UTXOs.',
    has: /^x_/,
  },
  {
    file: 'c-chain',
    title: 'The C-Chain',
    intro:
      'Blocks of the Contract Chain of Avalanche as containers of the index: headers, transactions, and atomic transactions that move assets between chains. Receipts and logs are on the page about [EVM blocks](evm-blocks.md).',
    has: /^c_/,
  },
  {
    file: 'evm-blocks',
    title: 'EVM blocks, transactions, logs and token transfers',
    intro: 'What the JSON-RPC API of an EVM chain says about blocks: of the C-Chain, of an L1, or of any EVM chain.',
    has: /^evm_(blocks|transactions|logs|token_transfers|token_balances|daily|gas_prices)$/,
  },
  {
    file: 'evm-contracts',
    title: 'EVM contracts: traces, calls, tokens and events',
    intro:
      'What contracts did, and what they answer. Each event that a job of `evm-events` decodes has a table of its own, `evm_event_` and the name of the event: `chainlake describe` and `chainlake tables` show those of your lake.',
    has: /^evm_(traces|internal_transfers|contracts|contracts_created|four_byte_counts|event_failures|calls|tokens)$/,
  },
  {
    file: 'evm-state',
    title: 'EVM state: balances, nonces, codes and storage',
    intro: 'The state of accounts at blocks, and what each transaction changed or used.',
    has: /^evm_(balances|nonces|codes|storage|\w+_changes|state_reads)$/,
  },
  {
    file: 'node-state',
    title: 'The state of a node',
    intro:
      'What a node says about the present, each time a run asks it: validators, supply, health, UTXOs and more. The views `…_latest` show the newest reading.',
    has: /^(node_|l1_validators$)/,
  },
  {
    file: 'service-transactions',
    title: 'The REST service: transactions, UTXOs and rewards',
    intro:
      'Transactions of the P-, X- and C-Chain, UTXOs, staking rewards, vertices and proposed blocks, as the REST service lists them.',
    has: /^rest_(p_transactions|x_transactions|c_atomic_transactions|utxos|rewards|x_vertices|node_blocks)/,
  },
  {
    file: 'service-networks',
    title: 'The REST service: validators, subnets and messages',
    intro:
      'Validators, delegators, subnets, blockchains, and messages between blockchains, as the REST service lists them.',
    has: /^rest_(validators|delegators|l1_validators|subnets|blockchains|icm_messages|signed_messages)/,
  },
  {
    file: 'service-tokens',
    title: 'The REST service: EVM chains, tokens and wallets',
    intro:
      'EVM chains and their blocks, transfers of tokens, and balances and transactions of wallets, as the REST service lists them.',
    has: /^rest_(evm_|native_|internal_|erc|collectible_)/,
  },
  {
    file: 'metrics',
    title: 'Metrics of chains and networks',
    intro:
      'Numbers that the metrics host of the REST service computes. Prometheus metrics of a run are on [another page](../metrics.md).',
    has: /^metrics_/,
  },
]

/** The page of a table or view. A new family of tables needs a page, or a place on one. */
export function pageOf(name: string): TablesPage {
  const page = tablesPages.find(({ has }) => has.test(name))
  if (page === undefined) throw new RangeError(`No page of tools/docs/tables/pages.ts has the table or view ${name}.`)
  return page
}
