import type { StreamStatus } from '../../../catalog/catalog.ts'
import { ConfigError } from '../../../errors.ts'
import { suggestion } from '../../terminal/suggest.ts'

/** The streams that the command is about: those of `names`, without those that `except` names, separated by commas. Throws ConfigError. */
export function chosenStreams(
  streams: readonly StreamStatus[],
  names: readonly string[],
  except: string | undefined,
): readonly StreamStatus[] {
  const left = except === undefined ? [] : chosen(streams, except.split(','))
  return chosen(streams, names).filter((each) => !left.includes(each))
}

/** All streams, or those that a name matches: the name of a stream, its part before the `?`, or a network. */
function chosen(streams: readonly StreamStatus[], names: readonly string[]): readonly StreamStatus[] {
  if (names.length === 0) return streams
  const has = ({ stream, network }: StreamStatus, name: string) =>
    stream === name || network === name || stream.split('?')[0] === name
  for (const name of names)
    if (!streams.some((each) => has(each, name)))
      throw new ConfigError(`The lake has no stream ${JSON.stringify(name)}.`, {
        code: 'config.stream',
        hint: suggestion(name, [...new Set(streams.map(({ stream }) => stream.split('?')[0] ?? stream))]),
      })
  return streams.filter((each) => names.some((name) => has(each, name)))
}
