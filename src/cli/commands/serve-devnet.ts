import { parseFaultPlan } from '../../../devnet/faults.ts'
import { startDevnet } from '../../../devnet/serve.ts'
import type { ServiceOptions } from '../../../devnet/service/plumbing/serve.ts'
import { ConfigError } from '../../errors.ts'
import type { FlagsOf } from '../flags/command.ts'
import { parseDuration, parsePort, parseWhole, readSettings } from '../settings.ts'
import { showGeneration } from '../terminal/status-lines.ts'
import { printJson, printLine, untilSignal } from '../terminal/terminal.ts'
import type { devnetCommand } from './lake.ts'

type DevnetFlags = FlagsOf<typeof devnetCommand>

/** `chainlake devnet`: serves until a signal. */
export async function serveDevnet(flags: DevnetFlags): Promise<number> {
  await readSettings(flags)
  const port = parsePort('--port', flags.port ?? '9650', 0)
  return untilSignal(async ({ signal, code }) => {
    const options = { port, ...chainOptions(flags), ...serviceOptions(flags), onProgress: showGeneration() }
    const devnet = await startDevnet(options)
    if (flags.json === true) await printJson({ url: devnet.url })
    else await printLine(`Serving ${flags.replay ?? 'a simulated network'} at ${devnet.url}; stop with Ctrl-C.`)
    await aborted(signal)
    await devnet.close()
    return code() ?? 0
  })
}

/** The simulated chains, or the recording. Throws `ConfigError` for a wrong value. */
function chainOptions(flags: DevnetFlags) {
  const { seed, blocks, legacy, replay, faults, 'asset-chains': assetChains, 'block-time': blockTime } = flags
  return {
    ...(seed === undefined ? {} : { seed: parseWhole('--seed', seed) }),
    ...(blocks === undefined ? {} : { blocks: parseWhole('--blocks', blocks) }),
    ...(legacy === undefined ? {} : { legacy }),
    ...(assetChains === undefined ? {} : { assetChains }),
    ...(blockTime === undefined ? {} : { blockTimeMs: parseDuration('--block-time', blockTime) }),
    ...(replay === undefined ? {} : { replay }),
    ...(faults === undefined ? {} : { faults: parseFaultPlan(faults) }),
  }
}

/** The behaviour of the REST service. Throws `ConfigError` for a wrong value. */
export function serviceOptions(flags: DevnetFlags): ServiceOptions {
  const { dialect, bounds } = flags
  const units = flags['units-per-minute']
  const day = flags['units-per-day']
  const keys = flags['api-key']
  const life = flags['token-life']
  const end = flags['token-end']
  return {
    ...(dialect === undefined ? {} : { dialect: oneOf('--dialect', ['node', 'spec'], dialect) }),
    ...(bounds === undefined ? {} : { bounds: oneOf('--bounds', ['inclusive', 'exclusive'], bounds) }),
    service: {
      ...(units === undefined ? {} : { unitsPerMinute: parseWhole('--units-per-minute', units, 1) }),
      ...(day === undefined ? {} : { unitsPerDay: parseWhole('--units-per-day', day, 1) }),
      ...(keys === undefined ? {} : { keys: parseKeys(keys) }),
    },
    tokens: {
      ...(life === undefined ? {} : { lifeMs: parseDuration('--token-life', life) }),
      ...(end === undefined ? {} : { end: oneOf('--token-end', ['refuse', 'restart'], end) }),
    },
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

function oneOf<W extends string>(flag: string, words: readonly W[], text: string): W {
  const word = words.find((each) => each === text)
  if (word !== undefined) return word
  throw new ConfigError(`${flag} must be ${words.join(' or ')}, not ${JSON.stringify(text)}.`, { code: 'config.usage' })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
