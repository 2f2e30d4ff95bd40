import type { Finding } from '../lake/finding.ts'
import type { LakeUtxo, MadeBy, UtxoChain } from '../rows/lake-utxos.ts'
import type { NodeUtxo } from './node-utxos.ts'

/** UTXOs that the node lists and the lake does not have. */
export function strangersOf(own: readonly LakeUtxo[], listed: readonly NodeUtxo[]): NodeUtxo[] {
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

/** Compares the UTXOs of an address. Counts equal ones, and listed ones that the lake cannot have yet or cannot know. */
export function compareAddress(
  chain: UtxoChain,
  address: string,
  { own, listed, made, height }: Sides,
): { findings: Finding[]; equal: number; later: number; unknown: number } {
  const findings: Finding[] = []
  const counts = { equal: 0, later: 0, unknown: 0 }
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
    if (compared === 'equal') counts.equal++
    else if (compared !== null) add(utxo.utxoId, compared)
  }
  for (const utxo of strangersOf(own, listed)) {
    const judged = judgeStranger(utxo, made.get(utxo.tx_id), chain.ledger.madeLater, listedAs)
    if (typeof judged === 'string') counts[judged]++
    else add(utxo.utxo_id, judged)
  }
  return { findings, ...counts }
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
