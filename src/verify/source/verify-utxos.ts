import type { Inventory } from '../../catalog/catalog.ts'
import { normalise } from '../../plan/intervals.ts'
import { createIndexApi } from '../../sources/index-api.ts'
import type { Finding } from '../lake/finding.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { chainId } from '../lake/row-place.ts'
import { type LakeUtxo, type MadeBy, sampleUtxos, transactionsOf, type UtxoChain } from '../rows/lake-utxos.ts'
import { ledgers } from '../rows/ledgers.ts'
import type { NodeQuestions } from './node-questions.ts'
import { batch, type SourceOptions, told } from './node-sample.ts'
import { heightOfNode, type NodeUtxo, utxosOfNode } from './node-utxos.ts'

/**
 * Compares the UTXOs of sampled addresses with what a node lists for them (platform.getUTXOs, avm.getUTXOs), where the lake covers the
 * chain from its first block to where the node stands before and after.
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
      const name = /^(\w+)\/block$/.exec(row.stream.slice(network.length + 1))?.[1]
      if (row.network !== network || row.table !== state.blocks.name || name === undefined) return []
      return [{ network, name, blockchainId: chainId(inventory, network, name), ledger, state }]
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
  if (torn !== undefined) return skipped(chain, `files of ${torn.name} are not whole`)
  const top = coveredFromStart(rows.inventory, chain, 'block')
  if (top === 0) return skipped(chain, 'the lake does not cover the chain from its first block on')
  const legacy = await legacyGap(rows.inventory, chain, options, questions)
  if (legacy !== null) return skipped(chain, legacy)
  const height = await heightOf(chain, options, questions)
  if (height === null) return skipped(chain, 'the node does not say how high the chain is')
  if (height > top) return skipped(chain, `the node is at height ${height}, the lake reaches ${top}: run first`)
  return compareSample(rows, chain, height, options, questions)
}

/** The height up to which the lake covers a chain without a gap, its first index on; 0 where it does not begin there. */
function coveredFromStart({ coverage }: Inventory, chain: UtxoChain, index: 'block' | 'tx'): number {
  const tables =
    index === 'block' ? tablesOf(chain) : [chain.ledger.transactions, chain.ledger.outputs, chain.ledger.inputs]
  const ends = tables.map(({ name }) => {
    const own = coverage.filter(
      ({ table, stream }) => table === name && stream === `${chain.network}/${chain.name}/${index}`,
    )
    const [first] = normalise(own.map(({ slice }) => slice))
    return first?.from === 0 ? first.to : 0
  })
  return Math.min(...ends)
}

/** Why what the lake has of before the chain was linear is no ground to say what is unspent; null where it is, or there is nothing of it. */
async function legacyGap(
  { coverage }: Inventory,
  chain: UtxoChain,
  { transport, stop }: SourceOptions,
  questions: NodeQuestions,
): Promise<string | null> {
  const path = `${chain.name}/tx`
  if (!coverage.some(({ stream }) => stream === `${chain.network}/${path}`)) return null
  const last = await questions.ask(`index.getLastAccepted of ${path}`, () =>
    createIndexApi(transport, path, { tries: 1 }).lastAccepted(stop),
  )
  if (last === null || 'refusal' in last) return `the node does not say how many transactions ${path} has`
  const wanted = (last.answer?.index ?? -1) + 1
  const has = coveredFromStart({ coverage } as Inventory, chain, 'tx')
  return has >= wanted ? null : `of ${path} the lake covers ${has} of ${wanted} transactions`
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
  const lake = [...(await sampleUtxos(rows, chain, { height, count: sample }))]
  const findings: Finding[] = []
  const seen = { addresses: 0, unspent: 0, without: 0, later: 0, unknown: 0 }
  for (let start = 0; start < lake.length && findings.length < told; start += batch) {
    stop.throwIfAborted()
    onProgress({ what: `UTXOs of ${chain.name}`, done: start, of: lake.length })
    const some = lake.slice(start, start + batch)
    const outcomes = await Promise.all(some.map(([address]) => utxosOfNode(chain, address, options, questions)))
    if (outcomes.some((outcome) => outcome === null)) return skipped(chain, 'the node does not list UTXOs')
    const now = await heightOf(chain, options, questions)
    if (now !== height)
      return {
        findings,
        remarks: [
          grown(chain, height, now, seen.addresses, lake.length),
          ...(seen.addresses > 0 ? saidOf(chain, seen) : []),
        ],
      }
    const listed = outcomes.map((outcome) => (outcome !== null && 'answer' in outcome ? outcome.answer : []))
    const strange = some.flatMap(([, own], at) => strangersOf(own, listed[at] ?? []))
    const made = await transactionsOf(rows, chain, [...new Set(strange.map(({ tx_id: id }) => id))])
    for (const [at, [address, own]] of some.entries()) {
      const outcome = outcomes[at]
      seen.addresses++
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
  }
  onProgress({ what: `UTXOs of ${chain.name}`, done: lake.length, of: lake.length })
  return { findings: findings.slice(0, told), remarks: saidOf(chain, seen) }
}

function strangersOf(own: readonly LakeUtxo[], listed: readonly NodeUtxo[]): NodeUtxo[] {
  const known = new Set(own.map(({ utxoId }) => utxoId))
  return listed.filter(({ utxo_id: id }) => !known.has(id))
}

type Sides = {
  /** All that the lake has of the address, spent or not. */
  readonly own: readonly LakeUtxo[]
  readonly listed: readonly NodeUtxo[]
  /** The transactions of the lake that made what it has not. */
  readonly made: ReadonlyMap<string, MadeBy>
  readonly height: number
}

function compareAddress(
  chain: UtxoChain,
  address: string,
  { own, listed, made, height }: Sides,
): { findings: Finding[]; equal: number; later: number; unknown: number } {
  const findings: Finding[] = []
  const counts = { equal: 0, later: 0, unknown: 0 }
  const byId = new Map(listed.map((utxo) => [utxo.utxo_id, utxo]))
  const add = (kind: Finding['kind'], message: string, utxoId: string, expected: string, found: string) =>
    findings.push({
      kind,
      message,
      network: chain.network,
      table: chain.ledger.outputs.name,
      stream: `${chain.network}/${chain.name}/block`,
      height,
      key: { address, utxo_id: utxoId },
      expected,
      found,
    })
  const listedAs = `listed as unspent by the node at height ${height}`
  for (const utxo of own) {
    const node = byId.get(utxo.utxoId)
    const place = `output ${utxo.outputIndex} of ${utxo.txId}`
    if (node === undefined) {
      if (utxo.isUnspent && !utxo.isUndated)
        add(
          'source.extra',
          'The node does not list a UTXO that is unspent in the lake.',
          utxo.utxoId,
          `not ${listedAs}`,
          `${place}: unspent`,
        )
      continue
    }
    if (!utxo.isUnspent) {
      const found = utxo.spentBy === null ? 'not released' : `spent by ${utxo.spentBy}`
      add(
        'source.different',
        'The node lists a UTXO that is not unspent in the lake.',
        utxo.utxoId,
        listedAs,
        `${place}: ${found}`,
      )
      continue
    }
    const said = saidByNode(node)
    const wrong = Object.keys(utxo.values).find((name) => name in said && said[name] !== utxo.values[name])
    if (wrong === undefined) counts.equal++
    else
      add(
        'source.different',
        `A UTXO has another ${wrong} than the node says.`,
        utxo.utxoId,
        `${said[wrong]}`,
        `${utxo.values[wrong]}`,
      )
  }
  for (const utxo of strangersOf(own, listed)) {
    const by = made.get(utxo.tx_id)
    if (by === undefined) counts.unknown++
    else if (utxo.output_index >= by.outputCount && chain.ledger.madeLater.includes(by.type)) counts.later++
    else
      add(
        'source.missing',
        'The node lists a UTXO of a transaction of the lake that the lake does not have.',
        utxo.utxo_id,
        `output ${utxo.output_index} of ${utxo.tx_id}, ${listedAs}`,
        `${by.outputCount} outputs of that ${by.type}`,
      )
  }
  return { findings, ...counts }
}

/** As texts, like those of the lake. */
function saidByNode(utxo: NodeUtxo): Readonly<Record<string, string | null>> {
  return {
    asset_id: utxo.asset_id,
    amount: utxo.amount === null ? null : String(utxo.amount),
    addresses: [...utxo.addresses].sort().join(' '),
    threshold: String(utxo.threshold),
    locktime: String(utxo.locktime),
    stakeable_locktime: utxo.stakeable_locktime === null ? null : String(utxo.stakeable_locktime),
  }
}

function refusal(chain: UtxoChain, address: string, found: string): Finding {
  return {
    kind: 'source.missing',
    message: 'The node refuses to list the UTXOs of an address that the lake has.',
    network: chain.network,
    table: chain.ledger.outputs.name,
    stream: `${chain.network}/${chain.name}/block`,
    key: { address },
    found,
  }
}

function skipped({ network, name }: UtxoChain, why: string): Checked {
  const stream = `${network}/${name}/block`
  return { findings: [], remarks: [{ stream, message: `UTXOs of ${name} were not compared with the node: ${why}.` }] }
}

function grown({ network, name }: UtxoChain, before: number, now: number | null, done: number, of: number) {
  return {
    stream: `${network}/${name}/block`,
    message: `UTXOs of ${name} were compared with the node for ${done} of ${of} addresses: then the chain was at height ${now ?? 'unknown'} and not ${before} any more.`,
  }
}

type Seen = {
  readonly addresses: number
  readonly unspent: number
  readonly without: number
  readonly later: number
  readonly unknown: number
}

function saidOf({ network, name, state }: UtxoChain, seen: Seen) {
  const stream = `${network}/${name}/block`
  const remarks = [
    {
      stream,
      message: `UTXOs of ${count(seen.addresses)} addresses of ${name} were compared with the node: ${count(seen.unspent)} unspent ones are alike, ${count(seen.without)} addresses have none.`,
    },
  ]
  if (seen.later > 0)
    remarks.push({
      stream,
      message: `The node lists ${count(seen.later)} rewards and refunds of these addresses that no container has and ${state.outputs.name} lacks: rewards-utxos and utxo-set read them.`,
    })
  if (seen.unknown > 0)
    remarks.push({
      stream,
      message: `The node lists ${count(seen.unknown)} UTXOs of these addresses of transactions that the lake does not have, of the genesis or of before ${name}/block: utxo-set reads those of the genesis.`,
    })
  return remarks
}

function count(n: number): string {
  return n.toLocaleString('en-US')
}
