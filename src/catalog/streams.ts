import { isDeepStrictEqual } from 'node:util'
import { type DerivedView, type NetworkIdentity, redeclaredViews } from '../define/index.ts'
import { CatalogError, type ErrorFacts, OtherSourceError } from '../errors.ts'
import { shellText } from '../lib/text.ts'
import { type Stream, streamId } from '../model.ts'
import { type Cell, inTransaction, isAt, latestSnapshotId, newest, parsedJson, type Session } from './session.ts'

/** A stream, with what runs declared about it, so that commands understand its rows and slices without its pipeline. */
export type StreamFacts = Stream & {
  /** Its text, such as `mainnet/P/block`. */
  readonly stream: string
  /** Null for a stream that no run declared, such as that of the table `chains`. */
  readonly pipeline: string | null
  /** Kind of the walk, such as `range` or `keyed`. */
  readonly walk: string
  /** What its slices count, in the plural: `containers`, `blocks`, `seconds`. */
  readonly unit: string
  /** Names of the tables that it fills. A key of a keyed walk is read when the first one has its row. */
  readonly tables: readonly string[]
  /** How far below the newest rows each run reads again: coordinates of a range, seconds of a list. */
  readonly trailing: number
  /** Paths of streams of the network that may hold the same rows. */
  readonly overlapping: readonly string[]
  /** The lowest first coordinate of the jobs that filled each table. Omitted for tables of jobs that begin at a time or count from the end. */
  readonly begins: Readonly<Record<string, number>>
  /** The id of the node that orders its records; null where the order is the chain's, or the node does not report its id. */
  readonly nodeId: string | null
}

/** The facts about a stream that no run declared. */
export const undeclared = {
  pipeline: null,
  walk: '',
  unit: 'records',
  tables: [],
  trailing: 0,
  overlapping: [],
  begins: {},
  nodeId: null,
} as const

/** The streams of the lake by their texts, in that order: all, or one. */
export async function readStreamFacts(session: Session, stream?: Stream): Promise<ReadonlyMap<string, StreamFacts>> {
  const rows = await session.rows(
    `SELECT stream, network, path, kind, chain, parameters, pipeline, walk, unit, tables, read_again AS trailing, overlapping, begins,
       node_id AS "nodeId"
     FROM chainlake.stream ${stream === undefined ? '' : 'WHERE stream = $1'} ORDER BY stream`,
    stream === undefined ? [] : [streamId(stream)],
  )
  return new Map(
    rows.map(({ kind, chain, ...facts }) => {
      const texts = ['parameters', 'tables', 'overlapping', 'begins'] as const
      const parsed = Object.fromEntries(texts.map((column) => [column, parsedJson(facts[column], column)]))
      const named = { kind: kind ?? undefined, chain: chain ?? undefined }
      return [facts['stream'], { ...facts, ...named, ...parsed } as StreamFacts]
    }),
  )
}

/** Adds the streams that the lake does not have, without what a run declares. */
export async function addStreams(session: Session, streams: readonly Stream[]): Promise<void> {
  const ids = new Map(streams.map((stream) => [streamId(stream), stream]))
  const known = await session.rows('SELECT stream FROM chainlake.stream WHERE stream = ANY($1)', [[...ids.keys()]])
  for (const { stream } of known) ids.delete(stream)
  await session.append(
    'chainlake',
    'stream',
    [...ids].map(([id, stream]) => rowOf({ ...stream, ...undeclared, stream: id })),
  )
}

/**
 * Stores what a run declares about its streams. Later declarations replace earlier ones; of beginnings, the lowest stays. The node stays while
 * the lake has rows in its order.
 *
 * @throws OtherSourceError when another node ordered the rows of a stream.
 */
export async function recordStreamFacts(session: Session, declared: readonly StreamFacts[]): Promise<void> {
  if (declared.length === 0) return
  const known = await readStreamFacts(session)
  const next = new Map<string, StreamFacts>()
  for (const facts of declared) {
    const before = next.get(facts.stream) ?? known.get(facts.stream)
    const nodeId = await orderingNode(session, before?.nodeId ?? null, facts)
    next.set(facts.stream, { ...facts, begins: lowestOf(before?.begins, facts.begins), nodeId })
  }
  const textOf = (facts: StreamFacts | undefined): string => (facts === undefined ? '' : JSON.stringify(rowOf(facts)))
  const changed = [...next.values()].filter((facts) => textOf(known.get(facts.stream)) !== textOf(facts))
  const replaced = changed.map(({ stream }) => stream).filter((stream) => known.has(stream))
  if (replaced.length > 0) await session.run('DELETE FROM chainlake.stream WHERE stream = ANY($1)', [replaced])
  await session.append('chainlake', 'stream', changed.map(rowOf))
}

async function orderingNode(
  session: Session,
  recorded: string | null,
  { stream, nodeId }: StreamFacts,
): Promise<string | null> {
  if (recorded === null || nodeId === null || recorded === nodeId) return nodeId ?? recorded
  const covered = await session.rows('SELECT 1 FROM chainlake.coverage WHERE stream = $1 LIMIT 1', [stream])
  if (covered.length === 0) return nodeId
  throw new OtherSourceError('The node is not the one that the lake has this index from.', {
    details: { stream, 'node of the lake': recorded, 'this node': nodeId },
    hint: `Each node has its own order of this index, so two nodes would store some containers twice and others never. Use the node of the lake, or another --lake. To take this node instead, \`chainlake repair --stream ${shellText(stream)}\` removes what the other one gave. Nothing was read.`,
  })
}

function lowestOf(before: StreamFacts['begins'] = {}, now: StreamFacts['begins']): StreamFacts['begins'] {
  const lowest = Object.entries(now).map(([table, from]) => [table, Math.min(from, before[table] ?? from)])
  return { ...before, ...Object.fromEntries(lowest) }
}

function rowOf(facts: StreamFacts): Cell[] {
  const { stream, network, path, kind = null, chain = null, parameters, pipeline, walk, unit } = facts
  const { tables, trailing, overlapping, begins, nodeId } = facts
  const identity = [stream, network, path, kind, chain, JSON.stringify(parameters)]
  const read = [JSON.stringify(tables), trailing, JSON.stringify(overlapping), JSON.stringify(begins), nodeId]
  return [...identity, pipeline, walk, unit, ...read]
}

/** The identity of a network, from known constants or from its node. */
export type NetworkFacts = Omit<NetworkIdentity, 'warnings'>

/** Another network that has one of these chains; otherwise the network with this name, or null. */
export async function readNetwork(
  session: Session,
  name: string,
  itsChains: NetworkFacts['chains'] = [],
): Promise<NetworkFacts | null> {
  // Every network has the same id for its P chain.
  const ids = itsChains.filter(({ alias }) => alias !== 'P').map(({ blockchainId }) => blockchainId)
  const [source] = await session.rows<Omit<NetworkFacts, 'chains'>>(
    `SELECT network, network_id AS "networkId", hrp, native_asset_id AS "nativeAssetId", durango_time AS "durangoTime"
     FROM chainlake.source WHERE network = $1
       OR network IN (SELECT network FROM chainlake.source_chain WHERE blockchain_id = ANY($2))
     ORDER BY network = $1`,
    [name, ids],
  )
  if (source === undefined) return null
  const chains = await session.rows<NetworkFacts['chains'][number]>(
    `SELECT alias, blockchain_id AS "blockchainId", vm_id AS "vmId", subnet_id AS "subnetId"
     FROM chainlake.source_chain WHERE network = $1 ORDER BY alias`,
    [source.network],
  )
  return { ...source, chains }
}

export async function recordNetwork(session: Session, facts: NetworkFacts): Promise<void> {
  await inTransaction(session, async () => {
    const stored = await readNetwork(session, facts.network, facts.chains)
    if (stored !== null) verifySameNetwork(stored, facts)
    const merged = merge(stored ?? { ...facts, chains: [] }, facts)
    if (isDeepStrictEqual(stored, merged)) return
    await session.run('DELETE FROM chainlake.source WHERE network = $1', [facts.network])
    await session.run('DELETE FROM chainlake.source_chain WHERE network = $1', [facts.network])
    const { network, networkId, hrp, nativeAssetId, durangoTime } = merged
    await session.append('chainlake', 'source', [[network, networkId, hrp, nativeAssetId, durangoTime]])
    await session.append(
      'chainlake',
      'source_chain',
      merged.chains.map(({ alias, blockchainId, vmId, subnetId }) => [network, alias, blockchainId, vmId, subnetId]),
    )
  })
}

/** @throws OtherSourceError when stored and new names or ids differ. */
export function verifySameNetwork(stored: NetworkFacts, facts: NetworkFacts): void {
  const pairs: [string, string | number | null, string | number | null | undefined][] = [
    ['network', stored.network, facts.network],
    ['network id', stored.networkId, facts.networkId],
    ['address prefix', stored.hrp, facts.hrp],
    ['native asset', stored.nativeAssetId, facts.nativeAssetId],
    ['Durango time', stored.durangoTime, facts.durangoTime],
    ...stored.chains.flatMap((chain): typeof pairs => {
      const now = facts.chains.find(({ alias }) => alias === chain.alias)
      return [
        [`id of chain ${chain.alias}`, chain.blockchainId, now?.blockchainId],
        [`subnet of chain ${chain.alias}`, chain.subnetId, now?.subnetId],
        [`VM of chain ${chain.alias}`, chain.vmId, now?.vmId],
      ]
    }),
  ]
  const different = pairs.filter(([, known, given]) => known !== null && (given ?? null) !== null && known !== given)
  if (different.length === 0) return
  const details: Record<string, ErrorFacts[string]> = { network: facts.network }
  for (const [what, known, given] of different) {
    details[`${what} in the lake`] = known
    details[`${what} at the node`] = given
  }
  throw new OtherSourceError(`The network ${facts.network} of the node differs from the one in the lake.`, {
    details,
    hint: 'Nothing was written. Use a node of the same network, or another --lake.',
  })
}

/** The facts of both, with chains in the order of `readNetwork`. */
function merge(stored: NetworkFacts, facts: NetworkFacts): NetworkFacts {
  const chains = new Map(stored.chains.map((chain) => [chain.alias, chain]))
  for (const { alias, blockchainId, vmId, subnetId } of facts.chains)
    chains.set(alias, { alias, blockchainId, vmId: chains.get(alias)?.vmId ?? vmId, subnetId })
  return {
    network: stored.network,
    networkId: stored.networkId,
    hrp: stored.hrp,
    nativeAssetId: stored.nativeAssetId ?? facts.nativeAssetId,
    durangoTime: stored.durangoTime ?? facts.durangoTime,
    chains: [...chains.values()].sort((a, b) => (a.alias < b.alias ? -1 : 1)),
  }
}

/** A final block of an EVM chain of the lake. */
export type ChainAnchor = {
  readonly network: string
  /** In decimal digits, as in the column `chain_id`. */
  readonly chainId: string
  readonly number: number
  /** `0x` and lower-case hex. */
  readonly hash: string
}

export async function readAnchors(session: Session): Promise<ChainAnchor[]> {
  return session.rows(
    `SELECT network, chain_id AS "chainId", block_number AS number, block_hash AS hash FROM chainlake.chain_anchor
     ORDER BY network, chain_id, block_number`,
  )
}

export async function recordAnchors(
  session: Session,
  basis: readonly ChainAnchor[],
  added: readonly ChainAnchor[],
): Promise<boolean> {
  return inTransaction(session, async () => {
    const stored = await readAnchors(session)
    const ids = new Set(added.map(({ chainId }) => chainId))
    const compared = (anchors: readonly ChainAnchor[]) =>
      JSON.stringify(anchors.filter(({ chainId }) => ids.has(chainId)).map(anchorRow))
    if (compared(stored) !== compared(basis)) return false
    const chains = new Map(
      added.map(({ network, chainId }) => [JSON.stringify([network, chainId]), { network, chainId }]),
    )
    for (const chain of chains.values()) {
      const isOwn = ({ network, chainId }: ChainAnchor) => network === chain.network && chainId === chain.chainId
      const own = stored.filter(isOwn)
      const kept = keptOf([...own, ...added.filter(isOwn)])
      if (JSON.stringify(kept.map(anchorRow)) === JSON.stringify(own.map(anchorRow))) continue
      await removeAnchors(session, chain)
      await session.append('chainlake', 'chain_anchor', kept.map(anchorRow))
    }
    return true
  })
}

/** Removes the blocks of a chain: the next run may read another chain under its name. */
export async function removeAnchors(
  session: Session,
  { network, chainId }: Pick<ChainAnchor, 'network' | 'chainId'>,
): Promise<void> {
  await session.run('DELETE FROM chainlake.chain_anchor WHERE network = $1 AND chain_id = $2', [network, chainId])
}

/** The two lowest blocks and the highest one. A node that lags behind has at least one of the lowest. */
function keptOf(anchors: readonly ChainAnchor[]): ChainAnchor[] {
  const byNumber = new Map([...anchors].reverse().map((anchor) => [anchor.number, anchor]))
  const sorted = [...byNumber.values()].sort((a, b) => a.number - b.number)
  return [...sorted.slice(0, 2), ...sorted.slice(2).slice(-1)]
}

function anchorRow({ network, chainId, number, hash }: ChainAnchor): [string, string, number, string] {
  return [network, chainId, number, hash]
}

/** The views that own pipelines declared, each after the views that it reads; with the id of a snapshot, those of that one. */
export async function readOwnViews(session: Session, at: number = newest): Promise<DerivedView[]> {
  const texts = await viewTexts(session, at)
  return texts.map((text) => {
    const view = viewIn(text)
    if (view !== null) return view
    throw new CatalogError('The catalog has a view that chainlake did not record.', {
      code: 'catalog.view',
      details: { declaration: text.slice(0, 200) },
      hint: 'Nothing was executed or changed. Restore a backup that you trust with chainlake restore, or delete the row from chainlake.own_view.',
    })
  })
}

/** The first characters of each row of `own_view` that is no view. */
export async function readStrangeViews(session: Session): Promise<string[]> {
  const texts = await viewTexts(session, newest)
  return texts.filter((text) => viewIn(text) === null).map((text) => text.slice(0, 200))
}

async function viewTexts(session: Session, at: number): Promise<string[]> {
  const rows = await session.rows(
    `SELECT declaration FROM chainlake.own_view v WHERE ${isAt('v', at)} ORDER BY position`,
  )
  return rows.map((row) => row['declaration'])
}

function viewIn(text: string): DerivedView | null {
  try {
    const view: unknown = JSON.parse(text)
    return isView(view) ? view : null
  } catch {
    return null
  }
}

/** Whether a value is a view with a query: only views of this program have theirs in a file. */
function isView(value: unknown): value is DerivedView {
  if (typeof value !== 'object' || value === null) return false
  const { name, comment, query, dateOf = '', dependsOn, columns } = value as { readonly [key: string]: unknown }
  const isText = (each: unknown) => typeof each === 'string'
  return (
    [name, comment, query, dateOf].every(isText) &&
    Array.isArray(dependsOn) &&
    dependsOn.every(isText) &&
    typeof columns === 'object' &&
    Object.values(columns ?? {}).every((column) => isText(column?.type) && isText(column?.comment))
  )
}

/**
 * Stores views of own pipelines, from the latest snapshot on: it has the tables that they read. They replace earlier ones of the same names,
 * which earlier snapshots keep, as they keep the ended ones.
 */
export async function recordOwnViews(
  session: Session,
  declared: readonly DerivedView[],
  ended: readonly Pick<DerivedView, 'name'>[],
): Promise<void> {
  if (declared.length + ended.length === 0) return
  const known = await readOwnViews(session)
  const views = redeclaredViews(known, declared).filter(({ name }) => !ended.some((view) => view.name === name))
  if (JSON.stringify(views) === JSON.stringify(known)) return
  await inTransaction(session, async () => {
    const begin = await latestSnapshotId(session)
    await session.run('DELETE FROM chainlake.own_view WHERE begin_snapshot = $1', [begin])
    await session.run('UPDATE chainlake.own_view SET end_snapshot = $1 WHERE end_snapshot IS NULL', [begin])
    await session.append(
      'chainlake',
      'own_view',
      views.map((view, position) => [begin, null, position, view.name, JSON.stringify(view)]),
    )
  })
}
