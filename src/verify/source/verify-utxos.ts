import type { Inventory } from '../../catalog/catalog.ts'
import { countText } from '../../lib/text/count-text.ts'
import { normalise } from '../../plan/intervals.ts'
import { createIndexApi } from '../../sources/index-api.ts'
import type { Finding } from '../lake/finding.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { chainId } from '../lake/row-place.ts'
import { type LakeUtxo, sampleUtxos, transactionsOf, type UtxoChain } from '../rows/lake-utxos.ts'
import { ledgers } from '../rows/ledgers.ts'
import { compareAddress, strangersOf } from './compare-address.ts'
import type { NodeQuestions, Outcome } from './node-questions.ts'
import { batch, mostFindings, type SourceOptions } from './node-sample.ts'
import { heightOfNode, type NodeUtxo, utxosOfNode } from './node-utxos.ts'

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

async function heightOf(chain: UtxoChain, options: SourceOptions, questions: NodeQuestions): Promise<number | null> {
  const outcome = await heightOfNode(chain, options, questions)
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
  let seen: Seen = { addresses: 0, unspent: 0, without: 0, later: 0, unknown: 0 }
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
    const compared = await compareBatch(rows, chain, height, some, outcomes)
    findings.push(...compared.findings)
    seen = added(seen, compared.seen)
  }
  onProgress({ what, done: lake.length, of: lake.length })
  return { findings: findings.slice(0, mostFindings), remarks: saidOf(chain, seen) }
}

type Listed = Outcome<readonly NodeUtxo[]>

/** Compares addresses of the lake with the answers of the node, in the same order. */
async function compareBatch(
  rows: LakeRows,
  chain: UtxoChain,
  height: number,
  some: readonly (readonly [address: string, own: readonly LakeUtxo[]])[],
  outcomes: readonly Listed[],
): Promise<{ readonly findings: readonly Finding[]; readonly seen: Seen }> {
  const listed = outcomes.map((outcome) => (outcome !== null && 'answer' in outcome ? outcome.answer : []))
  const strange = some.flatMap(([, own], at) => strangersOf(own, listed[at] ?? []))
  const made = await transactionsOf(rows, chain, [...new Set(strange.map(({ tx_id: id }) => id))])
  const findings: Finding[] = []
  const seen = { addresses: some.length, unspent: 0, without: 0, later: 0, unknown: 0 }
  for (const [at, [address, own]] of some.entries()) {
    const outcome = outcomes[at]
    if (!own.some(({ isUnspent }) => isUnspent)) seen.without++
    if (outcome != null && 'refusal' in outcome) {
      findings.push(refusal(chain, address, outcome.refusal))
      continue
    }
    const compared = compareAddress(chain, address, { own, listed: listed[at] ?? [], made, height })
    findings.push(...compared.findings)
    seen.unspent += compared.equal
    seen.later += compared.later
    seen.unknown += compared.unknown
  }
  return { findings, seen }
}

function added(a: Seen, b: Seen): Seen {
  return {
    addresses: a.addresses + b.addresses,
    unspent: a.unspent + b.unspent,
    without: a.without + b.without,
    later: a.later + b.later,
    unknown: a.unknown + b.unknown,
  }
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

type Seen = {
  readonly addresses: number
  readonly unspent: number
  readonly without: number
  readonly later: number
  readonly unknown: number
}

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
