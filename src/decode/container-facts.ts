import type { Container, HeightBlock } from '../model.ts'

/** The records with blocks of the P-Chain and X-Chain: containers of an index, or blocks by height. */
export type BlockRecord = Container | HeightBlock

/** Returns the facts about a record for errors. */
export function recordFacts(record: BlockRecord): { container: string; index: number } | { height: number } {
  return 'id' in record ? { container: record.id, index: record.index } : { height: record.height }
}

/** Returns the name of a record in errors. */
export function recordName(record: BlockRecord): string {
  return 'id' in record ? `Container ${record.index}` : `Block ${record.height}`
}

/** Returns the time at which the indexing node accepted a container, in microseconds and in nanoseconds. */
export function acceptedColumns(container: Container): { accepted_at: bigint; accepted_at_ns: bigint } {
  return { accepted_at: container.acceptedAtNs / 1000n, accepted_at_ns: container.acceptedAtNs }
}
