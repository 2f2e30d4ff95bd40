import { ConfigError } from '../../errors.ts'
import { streamId } from '../../model.ts'
import type { RangeMember } from '../units/range-plan.ts'
import { recordAt } from '../units/record-at.ts'

/** A record that identifies the planned chain: workers compare it with their own source. */
export type ChainCheckpoint = { readonly index: number; readonly id: string }

/** Coordinates without a record, such as null rounds, are passed over down to this many. */
const mostWithout = 64

/** The chain checkpoint at an index, or at the last one before it that has a record; null where records, and the blocks in them, have no ids. */
export async function chainCheckpointAt(
  { source, walk }: Pick<RangeMember, 'source' | 'walk'>,
  index: number,
  signal: AbortSignal,
): Promise<ChainCheckpoint | null> {
  let record: unknown = null
  let at = index
  for (; at >= 0 && at > index - mostWithout; at--) {
    record = await recordAt(source, at, signal)
    if (record !== null) break
  }
  if (record === null) return null
  const id = source.link?.(record).id ?? walk.linkOf?.(walk.outputs[0].read(record, walk.context) as never).id ?? null
  return id === null ? null : { index: at, id }
}

/**
 * Compares the chain of a worker's node with the planned chain: two networks may report the same name.
 *
 * @throws ConfigError `work.other-chain`.
 */
export async function verifyChainCheckpoint(
  member: RangeMember,
  chainCheckpoint: ChainCheckpoint,
  signal: AbortSignal,
): Promise<void> {
  const found = await chainCheckpointAt(member, chainCheckpoint.index, signal)
  if (found?.id === chainCheckpoint.id) return
  throw new ConfigError('The node of this worker serves another chain than the node that the task was planned from.', {
    code: 'work.other-chain',
    details: {
      stream: streamId(member.stream),
      [`${member.walk.record} ${chainCheckpoint.index}`]: found?.id ?? 'none',
      'as planned': chainCheckpoint.id,
    },
    hint: 'Start the worker with the URL of a node of that chain.',
  })
}
