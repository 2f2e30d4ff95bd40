import type { Container, HeightBlock } from '../model.ts'

/** What blocks of the P and X chain come in: containers of an index, or blocks by height. */
export type BlockRecord = Container | HeightBlock

/** Facts that errors about a record carry. */
export function recordFacts(record: BlockRecord): { container: string; index: number } | { height: number } {
  return 'id' in record ? { container: record.id, index: record.index } : { height: heightOf(record) }
}

/** What errors call a record. */
export function recordName(record: BlockRecord): string {
  return 'id' in record ? `Container ${record.index}` : `Block ${heightOf(record)}`
}

/** The height at which a block was asked for. */
export function heightOf({ index }: HeightBlock): number {
  return index + 1
}

/** When the indexing node accepted a container, in the two forms that tables keep. */
export function acceptedColumns(container: Container): { accepted_at: bigint; accepted_at_ns: bigint } {
  return { accepted_at: container.acceptedAtNs / 1000n, accepted_at_ns: container.acceptedAtNs }
}
