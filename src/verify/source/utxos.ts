import { tables as declaredTables } from '../../../schemas/index.ts'
import { derivedViews } from '../../../schemas/views/index.ts'
import type { Inventory } from '../../catalog/catalog.ts'
import { decodeUtxoPage } from '../../decode/node/utxos.ts'
import { type Table, theNode } from '../../define/index.ts'
import { countText, sqlName, sqlText } from '../../lib/text.ts'
import { normalise } from '../../plan/intervals.ts'
import { askNode } from '../../sources/node.ts'
import { createIndexApi, readHeightOfNode } from '../../sources/node-index.ts'
import { createScript, readViewQuery } from '../../views/lake-scripts.ts'
import { type Ledger, type LedgerState, ledgers } from '../inputs.ts'
import { bothChecked, type Checked, chainId, type LakeRows, mostFindings, nothingFound, rowsOfChain } from '../lake.ts'
import type { Finding } from '../report.ts'
import { batch, fxsOfNode, type NodeQuestions, type Outcome, type SourceOptions } from './sample.ts'

/**
 * Compares the UTXOs of sampled addresses with the UTXOs that a node lists for them (platform.getUTXOs, avm.getUTXOs). The lake must cover the
 * chain from its first block to the height of the node, and the node must stay at this height during the comparison.
 */
export async function verifyUtxos(rows: LakeRows, options: SourceOptions, questions: NodeQuestions): Promise<Checked> {
  let checked: Checked = nothingFound
  for (const chain of chainsOf(rows, options.identity.network))
    checked = bothChecked(checked, await verifyChain(rows, chain, options, questions))
  return checked
}

function chainsOf({ inventory, looksAt }: LakeRows, network: string): UtxoChain[] {
  const all = ledgers.flatMap((ledger): UtxoChain[] => {
    const { state } = ledger
    if (state === null || !tablesOf({ ledger, state }).every(looksAt)) return []
    return inventory.coverage.flatMap((row) => {
      const { chain: name = '' } = row.origin
      if (row.network !== network || row.table !== state.blocks.name || row.origin.kind !== 'block') return []
      return [{ network, name, stream: row.stream, blockchainId: chainId(inventory, network, name), ledger, state }]
    })
  })
  return [...new Map(all.map((chain) => [chain.name, chain])).values()]
}

function tablesOf({ ledger, state }: Pick<UtxoChain, 'ledger' | 'state'>) {
  return [state.blocks, ledger.transactions, ledger.outputs, ledger.inputs]
}

async function verifyChain(
  rows: LakeRows,
  chain: UtxoChain,
  options: SourceOptions,
  questions: NodeQuestions,
): Promise<Checked> {
  const torn = [...tablesOf(chain), chain.state.outputs].find((table) => rows.torn(table))
  if (torn !== undefined) return skipped(chain, `files of ${torn.name} are damaged`)
  const top = coveredFromStart(rows.inventory, chain)
  if (top === 0) return skipped(chain, 'the lake does not cover the chain from its first block')
  const legacy = await legacyGap(rows.inventory, chain, options, questions)
  if (legacy !== null) return skipped(chain, legacy)
  const height = await heightOf(chain, options, questions)
  if (height === null) return skipped(chain, 'the node does not return the height of the chain')
  if (height > top) return skipped(chain, `the node is at height ${height}, the lake ends at ${top}; run the job first`)
  return compareSample(rows, chain, height, options, questions)
}

/** How many blocks, or transactions of the legacy index, the lake covers from the first one on without a gap. */
function coveredFromStart({ coverage }: Inventory, chain: UtxoChain, legacy?: string): number {
  const tables =
    legacy === undefined ? tablesOf(chain) : [chain.ledger.transactions, chain.ledger.outputs, chain.ledger.inputs]
  const ends = tables.map(({ name }) => {
    const own = coverage.filter(({ table, stream }) => table === name && stream === (legacy ?? chain.stream))
    const [first] = normalise(own.map(({ slice }) => slice))
    const begin = legacy === undefined ? 1 : 0
    return first?.from === begin ? first.to - begin : 0
  })
  return Math.min(...ends)
}

/**
 * Why the lake cannot say which outputs from before the chain was linear are unspent. Null if it can, or if it has no such transactions.
 */
async function legacyGap(
  inventory: Inventory,
  chain: UtxoChain,
  { connection, stop }: SourceOptions,
  questions: NodeQuestions,
): Promise<string | null> {
  const legacy = [...inventory.streams.values()].find(
    (each) => each.network === chain.network && each.chain === chain.name && each.kind === 'tx',
  )
  if (!inventory.coverage.some(({ stream }) => stream === legacy?.stream) || legacy === undefined) return null
  const { path } = legacy
  const last = await questions.ask(`index.getLastAccepted of ${path}`, () =>
    createIndexApi(connection, path, { tries: 1 }).lastAccepted(stop),
  )
  if (last === null || 'refusal' in last) return `the node does not return the number of transactions of ${path}`
  const wanted = (last.answer?.index ?? -1) + 1
  const has = coveredFromStart(inventory, chain, legacy.stream)
  return has >= wanted ? null : `the lake covers ${has} of ${wanted} transactions of ${path}`
}

/** The height of the chain at the node; null if the node does not say it. */
async function heightOf(
  { name, state: { namespace } }: UtxoChain,
  { connection, stop }: SourceOptions,
  questions: NodeQuestions,
): Promise<number | null> {
  const outcome = await questions.ask(`${namespace}.getHeight of ${name}`, () =>
    readHeightOfNode(connection, { chain: name, namespace }, stop),
  )
  return outcome !== null && 'answer' in outcome ? outcome.answer : null
}

async function compareSample(
  rows: LakeRows,
  chain: UtxoChain,
  height: number,
  options: SourceOptions,
  questions: NodeQuestions,
): Promise<Checked> {
  const { sample, stop, onProgress } = options
  const what = `UTXOs of ${chain.name}`
  const lake = [...(await sampleUtxos(rows, chain, { height, count: sample }))]
  const findings: Finding[] = []
  const seen: Seen = { addresses: 0, unspent: 0, without: 0, later: 0, unknown: 0 }
  for (let start = 0; start < lake.length && findings.length < mostFindings; start += batch) {
    stop.throwIfAborted()
    onProgress({ what, done: start, of: lake.length })
    const some = lake.slice(start, start + batch)
    const outcomes = await Promise.all(some.map(([address]) => utxosOfNode(chain, address, options, questions)))
    if (outcomes.some((outcome) => outcome === null)) return skipped(chain, 'the node does not list UTXOs')
    const now = await heightOf(chain, options, questions)
    if (now !== height) {
      const remarks = [grown(chain, height, now, seen.addresses, lake.length)]
      return { findings, remarks: [...remarks, ...(seen.addresses > 0 ? saidOf(chain, seen) : [])] }
    }
    findings.push(...(await compareBatch(rows, chain, height, some, outcomes, seen)))
  }
  onProgress({ what, done: lake.length, of: lake.length })
  return { findings: findings.slice(0, mostFindings), remarks: saidOf(chain, seen) }
}

type Listed = Outcome<readonly NodeUtxo[]>

/** Compares addresses of the lake with the answers of the node, in the same order, and counts them in `seen`. */
async function compareBatch(
  rows: LakeRows,
  chain: UtxoChain,
  height: number,
  some: readonly (readonly [address: string, own: readonly LakeUtxo[]])[],
  outcomes: readonly Listed[],
  seen: Seen,
): Promise<Finding[]> {
  const listed = outcomes.map((outcome) => (outcome !== null && 'answer' in outcome ? outcome.answer : []))
  const strange = some.flatMap(([, own], at) => strangersOf(own, listed[at] ?? []))
  const made = await transactionsOf(rows, chain, [...new Set(strange.map(({ tx_id: id }) => id))])
  const findings: Finding[] = []
  seen.addresses += some.length
  for (const [at, [address, own]] of some.entries()) {
    const outcome = outcomes[at]
    if (!own.some(({ isUnspent }) => isUnspent)) seen.without++
    if (outcome != null && 'refusal' in outcome) {
      findings.push(refusal(chain, address, outcome.refusal))
      continue
    }
    findings.push(...compareAddress(chain, address, { own, listed: listed[at] ?? [], made, height }, seen))
  }
  return findings
}

function refusal(chain: UtxoChain, address: string, found: string): Finding {
  return {
    kind: 'source.missing',
    message: 'The node refuses to list the UTXOs of an address that the lake has.',
    network: chain.network,
    table: chain.ledger.outputs.name,
    stream: chain.stream,
    key: { address },
    found,
  }
}

function skipped({ name, stream }: UtxoChain, why: string): Checked {
  return { findings: [], remarks: [{ stream, message: `UTXOs of ${name} were not compared with the node: ${why}.` }] }
}

function grown({ name, stream }: UtxoChain, before: number, now: number | null, done: number, of: number) {
  return {
    stream,
    message: `UTXOs of ${name} were compared with the node for ${done} of ${of} addresses. Then the height of the chain changed from ${before} to ${now ?? 'unknown'}.`,
  }
}

type Seen = Record<'addresses' | 'unspent' | 'without' | 'later' | 'unknown', number>

function saidOf({ name, stream, state }: UtxoChain, seen: Seen) {
  const remarks = [
    {
      stream,
      message: `UTXOs of ${countText(seen.addresses)} addresses of ${name} were compared with the node: ${countText(seen.unspent)} unspent UTXOs are equal, ${countText(seen.without)} addresses have none.`,
    },
  ]
  if (seen.later > 0)
    remarks.push({
      stream,
      message: `The node lists ${countText(seen.later)} rewards and refunds of these addresses that are in no container and not in ${state.outputs.name}. Run rewards-utxos or utxo-set to read them.`,
    })
  if (seen.unknown > 0)
    remarks.push({
      stream,
      message: `The node lists ${countText(seen.unknown)} UTXOs of these addresses from transactions that are not in the lake (genesis, or before ${name}/block). Run utxo-set to read those of the genesis.`,
    })
  return remarks
}

export type NodeUtxo = ReturnType<ReturnType<typeof decodeUtxoPage>>['rows']['utxos'][number]

/** UTXOs per page, the maximum of nodes. */
const mostUtxos = 1_024

/** Reads all pages of UTXOs that a node lists for an address (platform.getUTXOs, avm.getUTXOs), without duplicates. */
export async function utxosOfNode(
  { name, network, blockchainId, state: { namespace } }: UtxoChain,
  address: string,
  options: SourceOptions,
  questions: NodeQuestions,
  limit = mostUtxos,
): Promise<Outcome<readonly NodeUtxo[]>> {
  const { connection, identity, stop } = options
  const fxs = await fxsOfNode(name, options, questions)
  if (fxs === 'unknown') return null
  const decode = decodeUtxoPage({
    network,
    hrp: identity.hrp,
    chain: namespace === 'platform' ? 'P' : 'X',
    fxs,
    blockchainId,
    sourceChainId: null,
    subject: '',
    limit,
    addressCount: 1,
    stateTransactions: new Map(),
  })
  const ask = (token: string | null) =>
    questions.ask(`${namespace}.getUTXOs of ${name}`, () =>
      askNode(
        connection,
        {
          host: 'node',
          endpoint: theNode,
          path: `/ext/bc/${name}`,
          method: `${namespace}.getUTXOs`,
          params: {
            addresses: [`${name}-${address}`],
            limit,
            encoding: 'hex',
            ...(token === null ? {} : { startIndex: JSON.parse(token) as object }),
          },
        },
        { parse: (answer) => decode(answer, context, token), signal: stop },
      ),
    )
  const found = new Map<string, NodeUtxo>()
  for (let outcome = await ask(null); ; ) {
    if (outcome === null || 'refusal' in outcome) return outcome
    for (const utxo of outcome.answer.rows.utxos) found.set(utxo.utxo_id, utxo)
    if (outcome.answer.next === null) return { answer: [...found.values()] }
    outcome = await ask(outcome.answer.next)
  }
}

/** A context for the decoder; none of these values becomes part of a row. */
const context = { observationId: '', observedAt: 0n, unknownField: () => undefined, memory: new Map<string, unknown>() }

/** A chain with UTXOs, as the lake knows it. */
type UtxoChain = {
  readonly network: string
  /** Its name in streams and in paths of the node. */
  readonly name: string
  /** The stream of its blocks. */
  readonly stream: string
  readonly blockchainId: string
  readonly ledger: Ledger
  readonly state: LedgerState
}

/** An output of a sampled address, as of a height. */
type LakeUtxo = {
  readonly utxoId: string
  readonly txId: string
  readonly outputIndex: number
  readonly isUnspent: boolean
  /** Whether the height at which it was created is unknown. */
  readonly isUndated: boolean
  readonly spentBy: string | null
  /** The values that a node states too, by name, as texts. */
  readonly values: Readonly<Record<string, string | null>>
}

/** Addresses with more outputs are not sampled; exchanges have millions. */
const mostOutputs = 20_000

/** The values of a UTXO that both sides have, as SQL that returns texts. The two sides may order lists of owners differently. */
const values: Readonly<Record<string, string>> = {
  asset_id: 'asset_id',
  amount: 'amount::VARCHAR',
  addresses: "array_to_string(list_sort(addresses), ' ')",
  threshold: 'threshold::VARCHAR',
  locktime: 'locktime::VARCHAR',
}

const stakeable = { stakeable_locktime: 'stakeable_locktime::VARCHAR' }

/**
 * Outputs of up to `count` addresses, by address. If possible, three of four addresses have unspent outputs at the height, and one has none.
 * The selection depends only on the lake. The views determine when outputs are spent.
 */
async function sampleUtxos(
  rows: LakeRows,
  chain: UtxoChain,
  { height, count }: { readonly height: number; readonly count: number },
): Promise<Map<string, LakeUtxo[]>> {
  const { engine } = rows
  await engine.rows(`CREATE OR REPLACE TEMP TABLE sampled AS ${candidates(rows, chain, 3 * count)}`)
  for (const statement of await spansScript(rows, chain)) await engine.rows(statement)
  const said = 'stakeable_locktime' in spanColumns(chain) ? { ...values, ...stakeable } : values
  const shown = Object.entries(said).map(([name, value]) => `${value} AS ${sqlName(`said_${name}`)}`)
  const isState = 'kind' in spanColumns(chain) ? "kind = 'state'" : 'true'
  await engine.rows(`CREATE OR REPLACE TEMP TABLE spans AS
    SELECT address, utxo_id, tx_id, output_index::INTEGER AS output_index, height IS NULL AND origin IS NOT NULL AS undated,
      (CASE WHEN height IS NULL THEN ${isState} ELSE height <= ${height} END)
        AND (spent_tx_id IS NULL OR coalesce(spent_height, 0) > ${height}) AS unspent, spent_tx_id, ${shown.join(', ')}
    FROM (SELECT *, unnest(addresses) AS address FROM ${sqlName(chain.state.spans)}) WHERE address IN (SELECT address FROM sampled)`)
  const found = await engine.rows(`
    WITH each AS (SELECT address, bool_or(coalesce(unspent, false)) AS has FROM sampled LEFT JOIN spans USING (address) GROUP BY address),
      ranked AS (SELECT address, has, row_number() OVER (PARTITION BY has ORDER BY hash(address)) AS place FROM each),
      chosen AS (SELECT address FROM ranked ORDER BY CASE WHEN has THEN place / 3.0 ELSE place END, address LIMIT ${count})
    SELECT chosen.address, spans.* EXCLUDE (address) FROM chosen LEFT JOIN spans USING (address) ORDER BY chosen.address, utxo_id`)
  const byAddress = new Map<string, LakeUtxo[]>()
  for (const row of found) {
    const own = byAddress.get(row['address']) ?? []
    byAddress.set(row['address'], own)
    if (row['utxo_id'] === null) continue
    own.push({
      utxoId: row['utxo_id'],
      txId: row['tx_id'],
      outputIndex: row['output_index'],
      isUnspent: row['unspent'],
      isUndated: row['undated'],
      spentBy: row['spent_tx_id'],
      values: Object.fromEntries(Object.keys(said).map((name) => [name, row[`said_${name}`]])),
    })
  }
  return byAddress
}

type MadeBy = { readonly type: string; readonly outputCount: number }

/** The transactions with these ids that the lake has of the chain. */
async function transactionsOf(
  rows: LakeRows,
  chain: UtxoChain,
  txIds: readonly string[],
): Promise<Map<string, MadeBy>> {
  if (txIds.length === 0) return new Map()
  const { transactions } = chain.ledger
  const found = await rows.engine.rows(
    `SELECT tx_id, min(tx_type) AS type, max(output_count)::INTEGER AS outputs FROM ${rows.relation(transactions, rows.filesOf(transactions))}
     WHERE ${rowsOfChain(rows.inventory, transactions, chain.network, chain.name)} AND tx_id IN (${txIds.map(sqlText).join(', ')}) GROUP BY tx_id`,
  )
  return new Map(found.map((row) => [row['tx_id'], { type: row['type'], outputCount: row['outputs'] }]))
}

/** Owners of outputs, in an order that does not depend on what they own. */
function candidates(rows: LakeRows, chain: UtxoChain, count: number): string {
  const owners = [chain.ledger.outputs, chain.state.outputs].map((table) => {
    const own = 'kind' in table.columns ? " AND kind <> 'export'" : ''
    return `SELECT unnest(addresses) AS address FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${rowsOfChain(rows.inventory, table, chain.network, chain.name)}${own}`
  })
  return `SELECT address FROM (${owners.join(' UNION ALL ')}) GROUP BY address HAVING count(*) <= ${mostOutputs} ORDER BY hash(address) LIMIT ${count}`
}

function spanColumns({ state }: UtxoChain): object {
  return derivedViews.find(({ name }) => name === state.spans)?.columns ?? {}
}

/** SQL that creates the view of spans and all that it reads, restricted to outputs and inputs of the sample. */
async function spansScript(rows: LakeRows, chain: UtxoChain): Promise<string[]> {
  const { ledger, state } = chain
  const whole = (table: Table) =>
    `SELECT ${Object.keys(table.columns).map(sqlName).join(', ')} FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${rowsOfChain(rows.inventory, table, chain.network, chain.name)}`
  const owned = (table: Table) =>
    `CREATE OR REPLACE TEMP TABLE ${sqlName(table.name)} AS ${whole(table)} AND utxo_id IN (
       SELECT utxo_id FROM (SELECT utxo_id, unnest(addresses) AS address FROM (${whole(table)})) WHERE address IN (SELECT address FROM sampled))`
  const views = neededBy(state.spans)
  const restricted = [ledger.outputs, state.outputs, ledger.inputs]
  const others = declaredTables.filter((table) => views.has(table.name) && !restricted.includes(table))
  const queries = derivedViews.filter(({ name }) => views.has(name))
  return [
    owned(ledger.outputs),
    owned(state.outputs),
    `CREATE OR REPLACE TEMP TABLE ${sqlName(ledger.inputs.name)} AS ${whole(ledger.inputs)} AND source_tx_id IN (
       SELECT tx_id FROM ${sqlName(ledger.outputs.name)} UNION SELECT tx_id FROM ${sqlName(state.outputs.name)})`,
    ...others.map((table) => createScript(table.name, whole(table))),
    ...(await Promise.all(queries.map(async (view) => createScript(view.name, await readViewQuery(view))))),
  ]
}

/** The names of a view and of everything that it reads, directly or through other views. */
function neededBy(name: string): Set<string> {
  const own = derivedViews.find((view) => view.name === name)?.dependsOn ?? []
  return new Set([name, ...own.flatMap((other) => [...neededBy(other)])])
}

/** UTXOs that the node lists and the lake does not have. */
function strangersOf(own: readonly LakeUtxo[], listed: readonly NodeUtxo[]): NodeUtxo[] {
  const known = new Set(own.map(({ utxoId }) => utxoId))
  return listed.filter(({ utxo_id: id }) => !known.has(id))
}

type Sides = {
  /** All outputs of the address in the lake, spent or not. */
  readonly own: readonly LakeUtxo[]
  readonly listed: readonly NodeUtxo[]
  /** Transactions of the lake that created listed UTXOs that the lake does not have. */
  readonly made: ReadonlyMap<string, MadeBy>
  readonly height: number
}

type Difference = Pick<Finding, 'kind' | 'message' | 'expected' | 'found'>

/** Compares the UTXOs of an address. Counts in `seen` equal ones, and listed ones that the lake cannot have yet or cannot know. */
function compareAddress(
  chain: UtxoChain,
  address: string,
  { own, listed, made, height }: Sides,
  seen: Seen,
): Finding[] {
  const findings: Finding[] = []
  const byId = new Map(listed.map((utxo) => [utxo.utxo_id, utxo]))
  const listedAs = `listed as unspent by the node at height ${height}`
  const add = (utxoId: string, difference: Difference) =>
    findings.push({
      ...difference,
      network: chain.network,
      table: chain.ledger.outputs.name,
      stream: chain.stream,
      height,
      key: { address, utxo_id: utxoId },
    })
  for (const utxo of own) {
    const compared = compareUtxo(utxo, byId.get(utxo.utxoId), listedAs)
    if (compared === 'equal') seen.unspent++
    else if (compared !== null) add(utxo.utxoId, compared)
  }
  for (const utxo of strangersOf(own, listed)) {
    const judged = judgeStranger(utxo, made.get(utxo.tx_id), chain.ledger.madeLater, listedAs)
    if (typeof judged === 'string') seen[judged]++
    else add(utxo.utxo_id, judged)
  }
  return findings
}

/** Null: neither side has the UTXO as unspent, or the lake does not know when it was created. */
function compareUtxo(utxo: LakeUtxo, node: NodeUtxo | undefined, listedAs: string): Difference | 'equal' | null {
  const place = `output ${utxo.outputIndex} of ${utxo.txId}`
  if (node === undefined) {
    if (!utxo.isUnspent || utxo.isUndated) return null
    return {
      kind: 'source.extra',
      message: 'The node does not list a UTXO that is unspent in the lake.',
      expected: `not ${listedAs}`,
      found: `${place}: unspent`,
    }
  }
  if (!utxo.isUnspent) {
    const found = utxo.spentBy === null ? 'not released' : `spent by ${utxo.spentBy}`
    return {
      kind: 'source.different',
      message: 'The node lists a UTXO that is not unspent in the lake.',
      expected: listedAs,
      found: `${place}: ${found}`,
    }
  }
  const stated = statedByNode(node)
  const wrong = Object.keys(utxo.values).find((name) => name in stated && stated[name] !== utxo.values[name])
  if (wrong === undefined) return 'equal'
  return {
    kind: 'source.different',
    message: `${wrong} of a UTXO differs from the node.`,
    expected: `${stated[wrong]}`,
    found: `${utxo.values[wrong]}`,
  }
}

/** `unknown`: its transaction is not in the lake. `later`: the node added it to its transaction later, such as a reward. */
function judgeStranger(
  utxo: NodeUtxo,
  by: MadeBy | undefined,
  madeLater: readonly string[],
  listedAs: string,
): Difference | 'unknown' | 'later' {
  if (by === undefined) return 'unknown'
  if (utxo.output_index >= by.outputCount && madeLater.includes(by.type)) return 'later'
  return {
    kind: 'source.missing',
    message: 'The node lists a UTXO that the lake does not have, although the lake has its transaction.',
    expected: `output ${utxo.output_index} of ${utxo.tx_id}, ${listedAs}`,
    found: `${by.outputCount} outputs of that ${by.type}`,
  }
}

/** The values of a UTXO as texts, like those of the lake. */
function statedByNode(utxo: NodeUtxo): Readonly<Record<string, string | null>> {
  return {
    asset_id: utxo.asset_id,
    amount: utxo.amount === null ? null : String(utxo.amount),
    addresses: [...utxo.addresses].sort().join(' '),
    threshold: String(utxo.threshold),
    locktime: String(utxo.locktime),
    stakeable_locktime: utxo.stakeable_locktime === null ? null : String(utxo.stakeable_locktime),
  }
}
