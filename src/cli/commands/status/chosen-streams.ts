import type { StreamStatus } from '../../../catalog/catalog.ts'
import { ConfigError } from '../../../errors.ts'
import { pathId } from '../../../model.ts'
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
  const exact = streams.filter((each) => [each.stream, pathId(each), each.network].includes(name))
  if (exact.length > 0) return exact
  const listed = streams.filter((each) => [shortName(each), each.path].includes(name))
  const networks = [...new Set(listed.map(({ network }) => network))].sort()
  if (networks.length === 1) return listed
  if (networks.length > 1)
    throw new ConfigError(`Several networks have a stream ${JSON.stringify(name)}: ${networks.join(', ')}.`, {
      code: 'config.stream',
      hint: `Name the network, such as ${listed.map(pathId)[0]}.`,
    })
  throw new ConfigError(`The lake has no stream ${JSON.stringify(name)}.`, {
    code: 'config.stream',
    hint: suggestion(
      name,
      streams.flatMap((each) => [pathId(each), each.path]),
      '`chainlake status` lists the streams.',
    ),
  })
}
