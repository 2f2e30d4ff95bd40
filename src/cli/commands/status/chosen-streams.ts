import type { StreamStatus } from '../../../catalog/catalog.ts'
import { ConfigError } from '../../../errors.ts'
import { withoutParameters } from '../../../model.ts'
import { shortName } from '../../../run/status/short-name.ts'
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

/** All streams, or those that a name matches, in their order. */
function chosen(streams: readonly StreamStatus[], names: readonly string[]): readonly StreamStatus[] {
  if (names.length === 0) return streams
  const named = new Set(names.flatMap((name) => streamsNamed(streams, name)))
  return streams.filter((each) => named.has(each))
}

/** A name is that of a stream, its part before the `?`, a network, or what `status` lists below a network. */
function streamsNamed(streams: readonly StreamStatus[], name: string): readonly StreamStatus[] {
  const exact = streams.filter(({ stream, network }) => [stream, withoutParameters(stream), network].includes(name))
  if (exact.length > 0) return exact
  const listed = streams.filter(({ stream }) =>
    [shortName(stream), shortName(withoutParameters(stream))].includes(name),
  )
  const networks = [...new Set(listed.map(({ network }) => network))].sort()
  if (networks.length === 1) return listed
  if (networks.length > 1)
    throw new ConfigError(`Several networks have a stream ${JSON.stringify(name)}: ${networks.join(', ')}.`, {
      code: 'config.stream',
      hint: `Name the network, such as ${withoutParameters(listed[0]?.stream ?? '')}.`,
    })
  const paths = streams.map(({ stream }) => withoutParameters(stream))
  throw new ConfigError(`The lake has no stream ${JSON.stringify(name)}.`, {
    code: 'config.stream',
    hint: suggestion(name, [...paths, ...paths.map(shortName)], '`chainlake status` lists the streams.'),
  })
}
