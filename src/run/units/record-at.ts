import type { RangeSource } from '../../define/index.ts'

/** One record of a source, null if the coordinate has none: with its own request where the source has one, otherwise as a window. */
export async function recordAt<R>(
  source: Pick<RangeSource<R>, 'one' | 'window'>,
  index: number,
  signal?: AbortSignal,
): Promise<R | null> {
  if (source.one !== undefined) return source.one(index, signal)
  const [record] = await source.window(index, index + 1, signal)
  return record ?? null
}
