import { tables as declaredTables } from '../../../schemas/index.ts'
import { derivedViews } from '../../../schemas/views/index.ts'
import type { Inventory } from '../../catalog/catalog.ts'
import { decodeUtxoPage } from '../../decode/node/utxos.ts'
import { quietContext, type Table, theNode } from '../../define/index.ts'
import { countText, sqlName, sqlText } from '../../lib/text.ts'
import { normalise } from '../../plan/intervals.ts'
import { askNode } from '../../sources/node.ts'
import { createIndexApi, readHeightOfNode } from '../../sources/node-index.ts'
import { createScript, readViewQuery } from '../../views/lake-scripts.ts'
import { type Check, runCheck } from '../checks.ts'
import { ledgers } from '../inputs.ts'
import { bothChecked, type Checked, chainId, type LakeRows, loadTables, mostFindings, rowsOfChain } from '../lake.ts'
import type { Finding } from '../report.ts'
import { type AskedNode, batch, fxsOfNode, type Outcome } from './sample.ts'

/**
 * Compares the UTXOs of sampled addresses with the UTXOs that a node lists for them (platform.getUTXOs, avm.getUTXOs). The lake must cover the
 * chain from its first block to the height of the node, and the node must stay at this height during the comparison.
 */
export async function verifyUtxos(asked: AskedNode): Promise<Checked> {
  const checked: Checked[] = []
  for (const chain of chainsOf(asked)) checked.push(await verifyChain(chain, asked))
  return bothChecked(...checked)
}

function chainsOf({ rows: { inventory, looksAt }, identity: { network } }: AskedNode): UtxoChain[] {
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

async function verifyChain(chain: UtxoChain, asked: AskedNode): Promise<Checked> {
  const torn = [...tablesOf(chain), chain.state.outputs].find((table) => asked.rows.torn(table))
  if (torn !== undefined) return skipped(chain, `files of ${torn.name} are damaged`)
  const top = coveredFromStart(asked.rows.inventory, chain)
  if (top === 0) return skipped(chain, 'the lake does not cover the chain from its first block')
  const legacy = await legacyGap(chain, asked)
  if (legacy !== null) return skipped(chain, legacy)
  const height = await heightOf(chain, asked)
  if (height === null) return skipped(chain, 'the node does not return the height of the chain')
  if (height > top) return skipped(chain, `the node is at height ${height}, the lake ends at ${top}; run the job first`)
  return compareAddresses(chain, height, asked)
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
async function legacyGap(chain: UtxoChain, asked: AskedNode): Promise<string | null> {
  const { rows, connection, stop, questions } = asked
  const { coverage, streams } = rows.inventory
  const legacy = [...streams.values()].find(
    (each) => each.network === chain.network && each.chain === chain.name && each.kind === 'tx',
  )
  if (!coverage.some(({ stream }) => stream === legacy?.stream) || legacy === undefined) return null
  const { path } = legacy
  const last = await questions.ask(`index.getLastAccepted of ${path}`, () =>
    createIndexApi(connection, path, { tries: 1 }).lastAccepted(stop),
  )
  if (last === null || 'refusal' in last) return `the node does not return the number of transactions of ${path}`
  const wanted = (last.answer?.index ?? -1) + 1
  const has = coveredFromStart(rows.inventory, chain, legacy.stream)
  return has >= wanted ? null : `the lake covers ${has} of ${wanted} transactions of ${path}`
}

/** The height of the chain at the node; null if the node does not say it. */
function heightOf({ name, state: { namespace } }: UtxoChain, { connection, stop, questions }: AskedNode) {
  return questions.answer(`${namespace}.getHeight of ${name}`, () =>
    readHeightOfNode(connection, { chain: name, namespace }, stop),
  )
}

async function compareAddresses(chain: UtxoChain, height: number, asked: AskedNode): Promise<Checked> {
  const { rows, sample, stop, onProgress } = asked
  const what = `UTXOs of ${chain.name}`
  const addresses = await sampleAddresses(rows, chain, height, sample)
  const findings: Finding[] = []
  const seen = new Map<string, number>()
  const place = { network: chain.network, table: chain.ledger.outputs.name, stream: chain.stream }
  let done = 0
  for (; done < addresses.length && findings.length < mostFindings; done += batch) {
    stop.throwIfAborted()
    onProgress({ what, done, of: addresses.length })
    const some = addresses.slice(done, done + batch)
    const outcomes = await Promise.all(some.map((address) => utxosOfNode(chain, address, asked)))
    if (outcomes.some((outcome) => outcome === null)) return skipped(chain, 'the node does not list UTXOs')
    const now = await heightOf(chain, asked)
    if (now !== height) {
      const message = `UTXOs of ${chain.name} were compared with the node for ${done} of ${addresses.length} addresses. Then the height of the chain changed from ${height} to ${now ?? 'unknown'}.`
      return { findings, remarks: [{ stream: chain.stream, message }, ...(done > 0 ? saidOf(chain, done, seen) : [])] }
    }
    const listed = outcomes.flatMap((outcome, at) => {
      if (outcome === null) return []
      if ('answer' in outcome) return [{ address: some[at]!, utxos: outcome.answer }]
      const message = 'The node refuses to list the UTXOs of an address that the lake has.'
      findings.push({ kind: 'source.missing', message, ...place, key: { address: some[at]! }, found: outcome.refusal })
      return []
    })
    const { findings: found } = await runCheck(rows, await listedCheck(rows, chain, height, listed, seen))
    findings.push(...found.map((each) => ({ ...each, ...place, height })))
  }
  onProgress({ what, done: addresses.length, of: addresses.length })
  return { findings: findings.slice(0, mostFindings), remarks: saidOf(chain, Math.min(done, addresses.length), seen) }
}

type Listed = { readonly address: string; readonly utxos: readonly NodeUtxo[] }

/**
 * Compares the outputs of addresses (see `sampleAddresses`) with those that a node lists as unspent. Counts in `seen` equal ones, addresses
 * without any, and listed ones that the lake cannot have yet or cannot know: `unknown` if their transaction is not in the lake, `later` if
 * the node added them to their transaction later, such as a reward.
 */
async function listedCheck(
  rows: LakeRows,
  chain: UtxoChain,
  height: number,
  listed: readonly Listed[],
  seen: Map<string, number>,
): Promise<Check> {
  const { outputs, transactions, madeLater } = chain.ledger
  const names = Object.keys(valuesOf(chain))
  await loadTables(rows.engine, {
    'asked, address': listed.map(({ address }) => [address]),
    [['listed, address, utxo_id, tx_id, output_index INTEGER', ...names].join(', ')]: listed.flatMap(
      ({ address, utxos }) =>
        utxos.map((utxo) => {
          const said: Readonly<Record<string, unknown>> = { ...utxo, addresses: [...utxo.addresses].sort().join(' ') }
          const values = names.map((name) => (said[name] === null ? null : String(said[name])))
          return [address, utxo.utxo_id, utxo.tx_id, Number(utxo.output_index), ...values]
        }),
    ),
  })
  const wrong = names.map((name) => `WHEN own.${name} IS DISTINCT FROM listed.${name}`)
  const first = (value: (name: string) => string) =>
    `CASE ${wrong.map((when, at) => `${when} THEN ${value(names[at]!)}`).join(' ')} END`
  const later = madeLater.length === 0 ? 'false' : `type IN (${madeLater.map(sqlText).join(', ')})`
  const listedAs = `listed as unspent by the node at height ${height}`
  return {
    what: `UTXOs of ${chain.name}`,
    tables: [outputs, transactions],
    sql: `WITH own AS (FROM spans WHERE address IN (FROM asked)),
      strange AS (FROM listed ANTI JOIN own USING (address, utxo_id)),
      made AS (
        SELECT tx_id, min(tx_type) AS type, max(output_count)::INTEGER AS outputs FROM ${sqlName(transactions.name)}
        WHERE ${rowsOfChain(rows.inventory, transactions, chain.network, chain.name)} AND tx_id IN (SELECT tx_id FROM strange) GROUP BY tx_id),
      compared AS (
        SELECT own.address, own.utxo_id, listed.utxo_id IS NOT NULL AS is_listed,
          'output ' || own.output_index || ' of ' || own.tx_id || ': ' AS place,
          CASE WHEN NOT is_listed THEN CASE WHEN own.unspent AND NOT own.undated THEN 'source.extra' ELSE '' END
            WHEN NOT own.unspent OR ${names.map((name) => `own.${name} IS DISTINCT FROM listed.${name}`).join(' OR ')} THEN 'source.different'
            ELSE 'unspent' END AS kind,
          CASE WHEN own.unspent THEN ${first(sqlText)} END AS name,
          CASE WHEN NOT is_listed THEN 'not ${listedAs}' WHEN own.unspent THEN ${first((name) => `coalesce(listed.${name}, 'null')`)}
            ELSE '${listedAs}' END AS expected,
          CASE WHEN NOT is_listed THEN place || 'unspent' WHEN own.unspent THEN ${first((name) => `coalesce(own.${name}, 'null')`)}
            ELSE place || coalesce('spent by ' || own.spent_tx_id, 'not released') END AS found
        FROM own LEFT JOIN listed USING (address, utxo_id)
        UNION ALL BY NAME SELECT address, utxo_id,
          CASE WHEN type IS NULL THEN 'unknown' WHEN output_index >= outputs AND ${later} THEN 'later' ELSE 'source.missing' END AS kind,
          'output ' || output_index || ' of ' || strange.tx_id || ', ${listedAs}' AS expected, outputs || ' outputs of that ' || type AS found
        FROM strange LEFT JOIN made ON made.tx_id = strange.tx_id)
      SELECT * EXCLUDE (place, is_listed), CASE WHEN is_listed AND name IS NULL THEN 'The node lists a UTXO that is not unspent in the lake.' END AS message
        FROM compared WHERE kind LIKE 'source.%'
      UNION ALL BY NAME SELECT kind AS what, count(*) AS n FROM compared WHERE kind NOT LIKE 'source.%' GROUP BY kind
      UNION ALL BY NAME SELECT 'without' AS what, count(*) AS n FROM asked ANTI JOIN (FROM own WHERE unspent) USING (address)
      ORDER BY address, utxo_id`,
    says: {
      'source.different': '{name} of a UTXO differs from the node.',
      'source.extra': 'The node does not list a UTXO that is unspent in the lake.',
      'source.missing': 'The node lists a UTXO that the lake does not have, although the lake has its transaction.',
    },
    key: ['address', 'utxo_id'],
    isAlone: true,
    remarks(counts) {
      for (const [what, count] of counts) seen.set(what, (seen.get(what) ?? 0) + count)
      return []
    },
  }
}

function skipped({ name, stream }: UtxoChain, why: string): Checked {
  return { findings: [], remarks: [{ stream, message: `UTXOs of ${name} were not compared with the node: ${why}.` }] }
}

function saidOf({ name, stream, state }: UtxoChain, addresses: number, seen: ReadonlyMap<string, number>) {
  const of = (what: string) => countText(seen.get(what) ?? 0)
  const messages = [
    `UTXOs of ${countText(addresses)} addresses of ${name} were compared with the node: ${of('unspent')} unspent UTXOs are equal, ${of('without')} addresses have none.`,
    ...(seen.has('later')
      ? [
          `The node lists ${of('later')} rewards and refunds of these addresses that are in no container and not in ${state.outputs.name}. Run rewards-utxos or utxo-set to read them.`,
        ]
      : []),
    ...(seen.has('unknown')
      ? [
          `The node lists ${of('unknown')} UTXOs of these addresses from transactions that are not in the lake (genesis, or before ${name}/block). Run utxo-set to read those of the genesis.`,
        ]
      : []),
  ]
  return messages.map((message) => ({ stream, message }))
}

type NodeUtxo = ReturnType<ReturnType<typeof decodeUtxoPage>>['rows']['utxos'][number]

/** UTXOs per page, the maximum of nodes. */
const mostUtxos = 1_024

/** Reads all pages of UTXOs that a node lists for an address (platform.getUTXOs, avm.getUTXOs), without duplicates. */
export async function utxosOfNode(
  { name, network, blockchainId, state: { namespace } }: UtxoChain,
  address: string,
  asked: Pick<AskedNode, 'connection' | 'identity' | 'stop' | 'questions'>,
  limit = mostUtxos,
): Promise<Outcome<readonly NodeUtxo[]>> {
  const { connection, identity, stop, questions } = asked
  const fxs = await fxsOfNode(name, asked)
  if (fxs === 'unknown') return null
  const chain = namespace === 'platform' ? ('P' as const) : ('X' as const)
  const about = { network, hrp: identity.hrp, chain, fxs, blockchainId, sourceChainId: null, subject: '' }
  const decode = decodeUtxoPage({ ...about, stateTransactions: new Map() })
  const method = `${namespace}.getUTXOs`
  const request = { host: 'node', endpoint: theNode, path: `/ext/bc/${name}`, method } as const
  const params = { addresses: [`${name}-${address}`], limit, encoding: 'hex' }
  const found = new Map<string, NodeUtxo>()
  for (let token: string | null = null; ; ) {
    const before = found.size
    const startIndex: object = token === null ? {} : { startIndex: JSON.parse(token) as object }
    const parse = (answer: unknown) => decode(answer, context, token)
    const outcome: Outcome<ReturnType<typeof decode>> = await questions.ask(`${method} of ${name}`, () =>
      askNode(connection, { ...request, params: { ...params, ...startIndex } }, { parse, signal: stop }),
    )
    if (outcome === null || 'refusal' in outcome) return outcome
    for (const utxo of outcome.answer.rows.utxos) found.set(utxo.utxo_id, utxo)
    token = outcome.answer.next
    // Pages that lead to one another have nothing new.
    if (token === null || found.size === before) return { answer: [...found.values()] }
  }
}

/** A context for the decoder; none of these values becomes part of a row. */
const context = quietContext()

/** A chain with UTXOs, as the lake knows it. */
type UtxoChain = {
  readonly network: string
  /** Its name in streams and in paths of the node. */
  readonly name: string
  /** The stream of its blocks. */
  readonly stream: string
  readonly blockchainId: string
  readonly ledger: (typeof ledgers)[number]
  readonly state: NonNullable<(typeof ledgers)[number]['state']>
}

/** Addresses with more outputs are not sampled; exchanges have millions. */
const mostOutputs = 20_000

/** The values of a UTXO that both sides have, as SQL that returns texts. The two sides may order lists of owners differently. */
function valuesOf(chain: UtxoChain): Readonly<Record<string, string>> {
  return {
    asset_id: 'asset_id',
    amount: 'amount::VARCHAR',
    addresses: "nullif(array_to_string(list_sort(addresses), ' '), '')",
    threshold: 'threshold::VARCHAR',
    locktime: 'locktime::VARCHAR',
    ...('stakeable_locktime' in spanColumns(chain) ? { stakeable_locktime: 'stakeable_locktime::VARCHAR' } : {}),
  }
}

/**
 * Up to `count` addresses, and their outputs as of a height in the table `spans` of the engine. If possible, three of four addresses have
 * unspent outputs at the height, and one has none. The selection depends only on the lake. The views determine when outputs are spent.
 */
async function sampleAddresses(rows: LakeRows, chain: UtxoChain, height: number, count: number): Promise<string[]> {
  const { engine } = rows
  await engine.rows(`CREATE OR REPLACE TEMP TABLE sampled AS ${candidates(rows, chain, 3 * count)}`)
  for (const statement of await spansScript(rows, chain)) await engine.rows(statement)
  const values = Object.entries(valuesOf(chain)).map(([name, value]) => `${value} AS ${sqlName(name)}`)
  const isState = 'kind' in spanColumns(chain) ? "kind = 'state'" : 'true'
  await engine.rows(`CREATE OR REPLACE TEMP TABLE spans AS
    SELECT address, utxo_id, tx_id, output_index::INTEGER AS output_index, height IS NULL AND origin IS NOT NULL AS undated,
      coalesce((CASE WHEN height IS NULL THEN ${isState} ELSE height <= ${height} END)
        AND (spent_tx_id IS NULL OR coalesce(spent_height, 0) > ${height}), false) AS unspent, spent_tx_id, ${values.join(', ')}
    FROM (SELECT *, unnest(addresses) AS address FROM ${sqlName(chain.state.spans)}) WHERE address IN (SELECT address FROM sampled)`)
  const found = await engine.rows(`
    WITH each AS (SELECT address, bool_or(coalesce(unspent, false)) AS has FROM sampled LEFT JOIN spans USING (address) GROUP BY address),
      ranked AS (SELECT address, has, row_number() OVER (PARTITION BY has ORDER BY hash(address)) AS place FROM each)
    FROM (SELECT address FROM ranked ORDER BY CASE WHEN has THEN place / 3.0 ELSE place END, address LIMIT ${count}) ORDER BY address`)
  return found.map(({ address }) => address)
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
