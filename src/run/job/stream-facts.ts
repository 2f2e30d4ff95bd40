import type { StreamFacts } from '../../catalog/catalog.ts'
import type { StreamDeclaration, Table, Walk } from '../../define/index.ts'
import { streamId } from '../../model.ts'

/** What the slices of walks count. Slices of a range count its records, unless it says otherwise. */
const unitsOfWalks: { readonly [walk in Exclude<Walk['kind'], 'range'>]?: string } = {
  blockWindow: 'blocks',
  heightRange: 'heights',
  timeWindow: 'seconds',
  series: 'seconds',
}

/** What the lake keeps about a stream of a pipeline. `nodeId`: of the node that orders its records. */
export function streamFacts(
  pipeline: string,
  { stream, tables, walk }: StreamDeclaration,
  nodeId: string | null = null,
): StreamFacts {
  const names = (Object.values(tables) as Table[]).map(({ name }) => name)
  const begins = 'from' in walk && typeof walk.from === 'number' && walk.from >= 0 ? walk.from : null
  return {
    ...stream,
    stream: streamId(stream),
    pipeline,
    walk: walk.kind,
    unit: unitOf(walk),
    tables: names,
    trailing: 'trailing' in walk ? (walk.trailing ?? 0) : 0,
    overlapping: walk.kind === 'range' ? (walk.overlapping ?? []) : [],
    begins: begins === null ? {} : Object.fromEntries(names.map((name) => [name, begins])),
    nodeId,
  }
}

function unitOf(walk: Walk): string {
  if (walk.kind !== 'range') return unitsOfWalks[walk.kind] ?? 'records'
  return walk.counts ?? `${walk.record}s`
}
