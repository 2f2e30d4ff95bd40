import { ConfigError } from '../../errors.ts'
import { streamId } from '../../model.ts'
import type { RangeMember } from '../units/range-plan.ts'
import { recordAt } from '../units/record-at.ts'
import { nameAt } from '../units/record-name.ts'

/** A record by which workers know that their source is of the chain that was planned. */
export type Anchor = { readonly index: number; readonly id: string }

/** The record at an index as an anchor; null where records, and blocks in them, have no ids. */
export async function anchorAt(
  { source, walk }: Pick<RangeMember, 'source' | 'walk'>,
  index: number,
  signal: AbortSignal,
): Promise<Anchor | null> {
  const record = await recordAt(source, index, signal)
  const id = source.link?.(record).id ?? walk.linkOf?.(walk.outputs[0].read(record, walk.context) as never).id ?? null
  return id === null ? null : { index, id }
}

/**
 * Compares what a worker is given with what whoever planned was given: two networks may say the same of themselves.
 *
 * @throws ConfigError `work.other-chain`.
 */
export async function verifyAnchor(member: RangeMember, anchor: Anchor, signal: AbortSignal): Promise<void> {
  const found = await anchorAt(member, anchor.index, signal)
  if (found?.id === anchor.id) return
  throw new ConfigError('The node of this worker has another chain than the one that the task was planned from.', {
    code: 'work.other-chain',
    details: {
      stream: streamId(member.stream),
      [nameAt(member.walk, anchor.index)]: found?.id ?? 'none',
      'as planned': anchor.id,
    },
    hint: 'Give the worker the URL of a node of that chain.',
  })
}
