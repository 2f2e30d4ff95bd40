import { isDeepStrictEqual } from 'node:util'
import { cBlock } from '../codec/c.ts'
import { unwrap } from '../codec/containers.ts'
import { decodeExactly } from '../codec/linear.ts'
import { tokenContracts } from './c/contracts.ts'
import { type IndexPath, indexPaths } from './chains/network.ts'
import { jsonAnswer, type Route, textAnswer } from './http/router.ts'
import { createFollower } from './index/follow.ts'
import type { ContainerStore } from './index/store.ts'
import { chainTexts } from './network/genesis.ts'
import type { ChainAlias } from './network/state.ts'
import { genesisGasLimit } from './node/evm/blocks.ts'
import { poolSample } from './node/evm/methods.ts'
import { healthCounts } from './node/health.ts'
import { touchedState } from './service/evm/changes.ts'
import { walletsOf } from './service/evm/holdings.ts'
import { allCalls, innerCallsOf } from './service/evm/inner-calls.ts'
import type { EvmState, EvmTransaction } from './service/evm/state.ts'
import type { Ledgers } from './service/ledgers.ts'
import { type TableTotals, type Totals, totalsOf } from './service/plumbing/route.ts'
import { isUnspent } from './service/primary/ledger/book.ts'
import type { PrimaryState } from './service/primary/ledger/ledger.ts'
import type { Reward, Utxo } from './service/primary/ledger/model.ts'
import { delegationsOf, l1ValidatorsOf, permissionedOf, stakersOf } from './service/primary/validators.ts'
import { saying } from './service/signatures.ts'

/**
 * `GET /devnet/summary`: the expected totals of an export at the current head. `GET /devnet/addresses?of=…`: a list of existing objects
 * with one text per line, so that jobs can name them all. Faults do not affect these routes.
 */
export function summaryRoutes(ledgers: Ledgers, ofRoutes: () => Promise<Totals>): Route[] {
  const summary = summaryAt(ledgers, ofRoutes)
  const lists = new Map(Object.entries(listsOf(ledgers)))
  return [
    {
      path: '/devnet/summary',
      handle: async ({ method }) => (method === 'GET' ? jsonAnswer(200, [JSON.stringify(await summary())]) : null),
    },
    {
      path: '/devnet/addresses',
      handle: async ({ query }) => {
        const list = lists.get(query.get('of') ?? '')
        if (list === undefined) return textAnswer(400, `of must be one of ${[...lists.keys()].join(', ')}\n`)
        return textAnswer(200, (await list()).map((each) => `${each}\n`).join(''))
      },
    },
  ]
}

/**
 * Computes from the ledgers the expected totals of the lake's tables at the head of a network. Tables of observations are counted as in
 * their `_latest` views: one observation of everything that exists, as `examples/devnet.yaml` requests it.
 */
function summaryAt({ stores, evm, primary }: Ledgers, ofRoutes: () => Promise<Totals>): () => Promise<Summary> {
  const cBlocks = cBlockTotals(stores['C/block'])
  const headsNow = () => Object.fromEntries(indexPaths.map((path: IndexPath) => [path, stores[path].count()]))
  const count = async (): Promise<Totals> => {
    const inContainers = await cBlocks()
    const state = await primary.state()
    return {
      // The chains of the primary network. The example stores the bytes of P-Chain containers only.
      chains: { rows: 3, sums: {} },
      containers: { rows: stores['P/block'].count(), sums: {} },
      ...state.tally.totals(),
      ...nodeTotals(state),
      ...inContainers,
      ...evmBlockTotals(await evm.atHead(), inContainers['c_transactions']!),
      ...stateTotals(await evm.atHead()),
      ...(await ofRoutes()),
    }
  }
  return async () => {
    let heads = headsNow()
    for (let tries = 1; ; tries += 1) {
      const totals = await count()
      const reached = headsNow()
      if (isDeepStrictEqual(heads, reached) || tries === mostTries) return summaryOf(reached, totals)
      heads = reached
    }
  }
}

/** The response of `GET /devnet/summary`: sums as decimal text by `table.column`. */
type Summary = {
  /** Number of containers by index. They define the head that all totals belong to. */
  readonly heads: Readonly<Record<string, number>>
  readonly rows: Readonly<Record<string, number>>
  readonly sums: Readonly<Record<string, string>>
}

function summaryOf(heads: Summary['heads'], totals: Totals): Summary {
  const tables = Object.entries(totals).sort(([a], [b]) => (a < b ? -1 : 1))
  const sums = tables.flatMap(([table, totals]) => {
    return Object.entries(totals.sums).map(([column, sum]) => [`${table}.${column}`, sum.toString()])
  })
  return {
    heads,
    rows: Object.fromEntries(tables.map(([table, { rows }]) => [table, rows])),
    sums: Object.fromEntries(sums),
  }
}

/**
 * Maximum number of counts. If the head has moved meanwhile, the totals are counted again; if it moves every time, they mix several heads.
 */
const mostTries = 4

/** Lists of the objects on the chains, by the name in `GET /devnet/addresses?of=…`. */
function listsOf({ primary, evm, messages }: Ledgers): Readonly<Record<string, () => Promise<readonly string[]>>> {
  const of = (pick: (state: PrimaryState) => Iterable<string>) => async () =>
    [...new Set(pick(await primary.state()))].sort()
  const bech32 = (chain: ChainAlias) =>
    of(({ addresses }) => addresses.addresses(chain).filter((address) => !address.startsWith('0x')))
  return {
    /** Addresses of the P-Chain, X-Chain and C-Chain, bech32 without chain prefix. */
    p: bech32('P'),
    x: bech32('X'),
    c: bech32('C'),
    /** 0x addresses of atomic transactions. */
    atomic: of(({ addresses }) => addresses.addresses('C').filter((address) => address.startsWith('0x'))),
    /** Every wallet that ever had a token. */
    evm: async () => walletsOf(await evm.atHead()),
    contracts: async () => tokenContracts.map(({ address }) => address),
    /** Nodes that have proposed blocks or have been rewarded. */
    nodes: of(({ proposed, rewards }) => [
      ...proposed.map(({ proposer }) => proposer.nodeId),
      ...rewards.map(({ stake }) => stake.nodeId),
    ]),
    validations: of(({ byValidation }) => byValidation.keys()),
    /** Transactions with a message that the aggregator signs. */
    l1: async () => saying(await messages()),
  }
}

/** Totals of the tables of EVM blocks, transactions and senders from the containers of the C-Chain. */
function cBlockTotals(store: ContainerStore): () => Promise<Totals> {
  const blocks = { rows: 0, sums: { gas_limit: 0n, gas_used: 0n } }
  const transactions = { rows: 0, sums: { value: 0n, gas_limit: 0n } }
  const senders = { rows: 0, sums: {} }
  const totals = { c_blocks: blocks, c_transactions: transactions, c_senders: senders }
  return createFollower<Totals>(store, totals, (_, { bytes, index }) => {
    const { header, transactions: sent } = decodeExactly(cBlock, unwrap(bytes).block, `block ${index + 1}`)
    blocks.rows += 1
    blocks.sums.gas_limit += header.gasLimit
    blocks.sums.gas_used += header.gasUsed
    transactions.rows += sent.length
    senders.rows += sent.length
    for (const { value, gas } of sent) {
      transactions.sums.value += value
      transactions.sums.gas_limit += gas
    }
  })
}

const firstBlock = { txCount: 0, gasUsed: 0n, gasLimit: BigInt(genesisGasLimit), baseFee: 0n }

/**
 * Totals of the tables that C-Chain RPC fills: the blocks of the ledger and the first block, the results of their transactions, and the
 * events of tokens, their calls, and what they changed. `sent`: totals of the transactions in the containers.
 */
function evmBlockTotals(state: EvmState, sent: TableTotals): Totals {
  const { blocks, results, transfers, transactions } = state
  const every = results.flat()
  const logs = every.flatMap(({ called }) => called?.logs ?? [])
  const listed = totalsOf([firstBlock, ...blocks], {
    transaction_count: ({ txCount }) => BigInt(txCount),
    gas_used: ({ gasUsed }) => gasUsed,
    gas_limit: ({ gasLimit }) => gasLimit,
    base_fee_per_gas: ({ baseFee }) => baseFee,
  })
  const executed = totalsOf(every, {
    status: ({ succeeded }) => (succeeded ? 1n : 0n),
    gas_used: ({ gasUsed }) => BigInt(gasUsed),
    effective_gas_price: ({ price }) => price,
  })
  return {
    evm_blocks: { ...listed, sums: { ...listed.sums, log_count: BigInt(logs.length) } },
    evm_transactions: { ...executed, sums: { ...sent.sums, ...executed.sums } },
    evm_logs: totalsOf(logs),
    evm_traces: totalsOf(transactions.flatMap(tracedGas), { gas_used: (gas) => BigInt(gas) }),
    ...changeTotals(state),
    evm_token_transfers: totalsOf(transfers, { amount: ({ value }) => value }),
  }
}

/** The gas that a transaction and each of its inner calls used. */
function tracedGas(transaction: EvmTransaction): number[] {
  return [transaction.result.gasUsed, ...allCalls(innerCallsOf(transaction)).map(({ gasUsed }) => gasUsed)]
}

/** Totals of the state that transactions changed and read. A contract that a transaction creates has no state before it. */
function changeTotals(state: EvmState): Totals {
  const touched = state.blocks.flatMap(({ number }) => touchedState(state, number))
  const accounts = touched.flatMap((transaction) => transaction.accounts)
  const slots = accounts.flatMap((account) => account.slots)
  const read = touched.flatMap(({ created, accounts: all }) => all.filter(({ address }) => address !== created))
  const differs = (field: 'balance' | 'nonce') => accounts.filter(({ before, after }) => before[field] !== after[field])
  return {
    evm_balance_changes: totalsOf(differs('balance'), {
      balance_before: ({ before }) => before.balance,
      balance_after: ({ after }) => after.balance,
    }),
    evm_nonce_changes: totalsOf(differs('nonce'), { nonce_after: ({ after }) => after.nonce }),
    evm_code_changes: totalsOf(accounts.filter(({ before, after }) => before.code.length !== after.code.length)),
    evm_storage_changes: totalsOf(slots.filter(({ before, after }) => before !== after)),
    evm_state_reads: totalsOf([...read, ...slots]),
  }
}

/**
 * Totals of the tables of the node's state: one observation of every subnet, chain and address. The UTXOs are those that the example
 * requests: the P-Chain's and X-Chain's own ones, and those that the C-Chain has exported to the P-Chain. `p_state_outputs` and
 * `x_state_outputs` contain outputs that no container contains: the node shows genesis outputs and refunds only while they are unspent, but
 * all rewards.
 */
function nodeTotals(state: PrimaryState): Totals {
  const subnets = [chainTexts.P, ...created(state, 'CreateSubnetTx')]
  const health = healthCounts()
  const unspent = state.book.utxos.filter((utxo) => isUnspent(utxo, utxo.createdOn, utxo.livesOn))
  return {
    ...validatorTotals(state, subnets),
    // The X-Chain and the C-Chain exist from the beginning.
    node_blockchains: rows(created(state, 'CreateChainTx').length + 2),
    // Subnets without a supply are rows with an error.
    node_supply: { rows: subnets.length, sums: { supply: sumOf([...state.supplies.values()]) } },
    node_fees: rows(1),
    node_p_fees: rows(1),
    node_validator_fees: rows(1),
    node_subnets: rows(subnets.length - 1),
    node_evm_state: rows(1),
    node_vm_config: rows(1),
    node_health_reports: rows(health.reports),
    node_health: rows(health.checks),
    node_assets: rows(state.book.assets.size),
    node_utxos: amounts(unspent.filter(isListed)),
    p_state_outputs: amounts([...unspent.filter((utxo) => isStateOutput(utxo, 'P')), ...spentRewards(state.rewards)]),
    x_state_outputs: amounts(unspent.filter((utxo) => isStateOutput(utxo, 'X'))),
  }
}

function validatorTotals(state: PrimaryState, subnets: readonly string[]): Totals {
  const time = state.times.P
  const stakers = subnets.flatMap((subnetId) => stakersOf(state, subnetId, time))
  const permissioned = subnets.flatMap((subnetId) => permissionedOf(state, subnetId, time))
  const delegations = stakers.flatMap((stake) => delegationsOf(state, stake, time))
  const l1 = subnets.flatMap((subnetId) => l1ValidatorsOf(state, subnetId))
  const weight = sumOf(stakers.map(amountOf)) + sumOf(permissioned.map(({ weight }) => weight))
  return {
    node_validators: { rows: stakers.length + permissioned.length, sums: { weight } },
    node_delegators: { rows: delegations.length, sums: { weight: sumOf(delegations.map(amountOf)) } },
    node_l1_validators: {
      rows: l1.length,
      sums: { weight: sumOf(l1.map(({ weight }) => weight)), balance: sumOf(l1.map(({ balance }) => balance)) },
    },
  }
}

/** Ids of the objects that transactions of this type have created. */
function created({ p }: PrimaryState, type: string): string[] {
  return p.filter((tx) => tx.type === type).map(({ txId }) => txId)
}

function isListed({ createdOn, livesOn }: Utxo): boolean {
  return createdOn === livesOn || (createdOn === 'C' && livesOn === 'P')
}

/** Whether no container of its chain contains the output. */
function isStateOutput({ origin, createdOn, livesOn }: Utxo, chain: 'P' | 'X'): boolean {
  return createdOn === chain && livesOn === chain && ['genesis', 'reward', 'refund'].includes(origin)
}

/** Spent rewards. The node returns them by the id of their stake. */
function spentRewards(rewards: readonly Reward[]): Utxo[] {
  return rewards.map(({ utxo }) => utxo).filter(({ consumption }) => consumption !== null)
}

function rows(count: number): TableTotals {
  return { rows: count, sums: {} }
}

/** Rights and tokens have no amount. */
function amounts(utxos: readonly Utxo[]): TableTotals {
  const coins = utxos.filter(({ kind }) => kind === 'transfer')
  return { rows: utxos.length, sums: { amount: sumOf(coins.map(amountOf)) } }
}

function amountOf({ amount }: { readonly amount: bigint }): bigint {
  return amount
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n)
}

/** Accounts that the jobs of `examples/devnet.yaml` name: the first ones of the chain. */
const accounts = 10
const holders = 5
/** Numbers of contracts, and of pairs of owner and spender, for which allowances are read. */
const approvedContracts = 2
const approvals = 10
/** The most blocks of a list. */
const listed = 10

/** Totals of the tables of the state of the C-Chain, as `examples/devnet.yaml` reads it: at every n-th block, or at listed blocks. */
function stateTotals(state: EvmState): Totals {
  const { blocks, transactions, transfers } = state
  const every = (step: number) => Array.from({ length: Math.floor(blocks.length / step) + 1 }, (_, at) => at * step)
  const lists = every(100).slice(0, listed).length
  const called = firstOf(
    transactions.map(({ to, block }) => [to, block.number]),
    accounts,
  )
  const senders = firstOf(
    transactions.map(({ from, block }) => [from, block.number]),
    accounts,
  )
  const owners = firstOf(
    transfers.map(({ to, block }) => [to, block.number]),
    holders,
  )
  const balances = called.flatMap((address) => every(50).map((number) => state.nativeBalance(address, number)))
  const contracts = tokenContracts.length
  const grants = state.results
    .flat()
    .flatMap(({ called }) =>
      (called?.logs ?? []).flatMap(({ approval }) =>
        approval === null ? [] : [{ contract: called!.token.address, pair: approval.owner + approval.spender }],
      ),
    )
  const distinct = (of: (grant: (typeof grants)[number]) => string): number => new Set(grants.map(of)).size
  const allowances =
    Math.min(
      approvedContracts,
      distinct(({ contract }) => contract),
    ) *
    Math.min(
      approvals,
      distinct(({ pair }) => pair),
    )
  return {
    evm_balances: { rows: balances.length, sums: { balance: balances.reduce((sum, each) => sum + each, 0n) } },
    evm_nonces: rows(senders.length * lists),
    evm_codes: rows(contracts * lists),
    evm_storage: rows(contracts * every(50).length),
    // The supply of each token, what each owner holds of it, and allowances.
    evm_calls: rows(contracts * (1 + owners.length) * every(100).length + allowances * lists),
    evm_tokens: rows(new Set(transfers.map(({ token }) => token.address)).size),
    // Each sender has a pending and a queued transaction.
    node_txpool: rows(2 * new Set(transactions.slice(-poolSample).map(({ from }) => from)).size),
  }
}

/** The addresses that occur first; those of one block in their own order. */
function firstOf(occurrences: readonly (readonly [string | null, number])[], most: number): string[] {
  const first = new Map<string, number>()
  for (const [address, number] of occurrences) if (address !== null && !first.has(address)) first.set(address, number)
  const order = (a: readonly [string, number], b: readonly [string, number]) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)
  return [...first]
    .sort(order)
    .slice(0, most)
    .map(([address]) => address)
}
