import { once } from 'node:events'
import { parseFaultPlan } from '../../../devnet/faults.ts'
import { startDevnet } from '../../../devnet/serve.ts'
import type { ServiceOptions } from '../../../devnet/service/plumbing/serve.ts'
import { ConfigError } from '../../errors.ts'
import { definedOf } from '../../lib/arrays.ts'
import type { FlagsOf } from '../flags/command.ts'
import { parseChoice, parsePort, parsers, parseWhole, readSettings } from '../settings.ts'
import { showGeneration } from '../terminal/status-lines.ts'
import { printResult, untilSignal } from '../terminal/terminal.ts'
import type { devnetCommand } from './lake.ts'

type DevnetFlags = FlagsOf<typeof devnetCommand>

/** `chainlake devnet`: serves until a signal. */
export async function serveDevnet(flags: DevnetFlags): Promise<number> {
  await readSettings(flags)
  const port = parsePort('--port', flags.port ?? '9650', 0)
  return untilSignal(async ({ signal }) => {
    const options = { port, ...chainOptions(flags), ...serviceOptions(flags), onProgress: showGeneration() }
    const devnet = await startDevnet(options)
    const text = `Serving ${flags.replay ?? 'a simulated network'} at ${devnet.url}; stop with Ctrl-C.`
    await printResult(flags, { url: devnet.url }, text)
    if (!signal.aborted) await once(signal, 'abort')
    await devnet.close()
  })
}

/** The value of a flag as `parse` reads it; undefined without the flag. Throws `ConfigError` for a wrong value. */
function read<V>(
  flags: DevnetFlags,
  flag: Exclude<keyof DevnetFlags, 'legacy' | 'asset-chains' | 'json' | 'log-level'>,
  parse: (name: string, text: string) => V,
): V | undefined {
  const text = flags[flag]
  return text === undefined ? undefined : parse(`--${flag}`, text)
}

/** The simulated chains, or the recording. */
function chainOptions(flags: DevnetFlags) {
  return definedOf({
    seed: read(flags, 'seed', parseWhole),
    blocks: read(flags, 'blocks', parseWhole),
    legacy: flags.legacy,
    assetChains: flags['asset-chains'],
    blockTimeMs: read(flags, 'block-time', parsers.duration),
    replay: flags.replay,
    faults: read(flags, 'faults', (_, text) => parseFaultPlan(text)),
  })
}

/** The behaviour of the REST service. */
export function serviceOptions(flags: DevnetFlags): ServiceOptions {
  const units = (name: string, text: string) => parseWhole(name, text, 1)
  return {
    ...definedOf({
      dialect: read(flags, 'dialect', oneOf(['node', 'spec'])),
      bounds: read(flags, 'bounds', oneOf(['inclusive', 'exclusive'])),
    }),
    service: definedOf({
      unitsPerMinute: read(flags, 'units-per-minute', units),
      unitsPerDay: read(flags, 'units-per-day', units),
      keys: read(flags, 'api-key', (_, text) => parseKeys(text)),
    }),
    tokens: definedOf({
      lifeMs: read(flags, 'token-life', parsers.duration),
      end: read(flags, 'token-end', oneOf(['refuse', 'restart'])),
    }),
  }
}

/** Parses `KEY=UNITS,KEY`: compute units per minute by key; a key without a number is unlimited. */
function parseKeys(text: string): Record<string, number> {
  const keys = text.split(',').map((item): [string, number] => {
    const [key = '', units, ...rest] = item.trim().split('=')
    if (!/^[\x21-\x7e]+$/.test(key) || rest.length > 0)
      throw new ConfigError(`--api-key must be KEY=UNITS or KEY, not ${JSON.stringify(item)}.`, {
        code: 'config.usage',
        hint: 'Separate several keys with commas: --api-key first=9000,second.',
      })
    return [key, units === undefined ? Number.POSITIVE_INFINITY : parseWhole(`--api-key ${key}`, units, 1)]
  })
  return Object.fromEntries(keys)
}

function oneOf<const W extends string>(words: readonly W[]): (name: string, text: string) => W {
  return (name, text) => parseChoice(name, text, words)
}
