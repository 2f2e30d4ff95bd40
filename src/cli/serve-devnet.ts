import { parseFaultPlan } from '../devnet/faults/kinds.ts'
import { startDevnet } from '../devnet/serve.ts'
import { ConfigError } from '../errors.ts'
import { parseDuration, parseWhole } from './numbers.ts'
import { printJson, printLine } from './output.ts'
import { readSettings, type SettingFlags } from './settings.ts'
import { showGeneration } from './show-generation.ts'
import { untilSignal } from './signals.ts'

type DevnetFlags = SettingFlags & {
  readonly [flag in 'port' | 'seed' | 'blocks' | 'block-time' | 'replay' | 'faults' | 'dialect']?: string | undefined
} & { readonly [flag in 'legacy' | 'json']?: boolean | undefined }

/** `chainlake devnet`: serves until a signal. */
export async function serveDevnet(flags: DevnetFlags): Promise<number> {
  await readSettings(flags)
  const port = parsePort(flags.port ?? '9650')
  return untilSignal(async ({ signal, code }) => {
    const devnet = await startDevnet({
      port,
      ...(flags.seed === undefined ? {} : { seed: parseWhole('--seed', flags.seed) }),
      ...(flags.blocks === undefined ? {} : { blocks: parseWhole('--blocks', flags.blocks) }),
      ...(flags.legacy === undefined ? {} : { legacy: flags.legacy }),
      ...(flags['block-time'] === undefined ? {} : { blockTimeMs: parseDuration('--block-time', flags['block-time']) }),
      ...(flags.replay === undefined ? {} : { replay: flags.replay }),
      ...(flags.faults === undefined ? {} : { faults: parseFaultPlan(flags.faults) }),
      ...(flags.dialect === undefined ? {} : { dialect: parseDialect(flags.dialect) }),
      onProgress: showGeneration,
    })
    if (flags.json === true) await printJson({ url: devnet.url })
    else await printLine(`Serving ${flags.replay ?? 'a simulated network'} at ${devnet.url}; end it with Ctrl-C.`)
    await aborted(signal)
    await devnet.close()
    return code() ?? 0
  })
}

function parsePort(text: string): number {
  const port = parseWhole('--port', text)
  if (port <= 65_535) return port
  throw new ConfigError(`--port must be at most 65535, not ${text}.`, { code: 'config.number' })
}

function parseDialect(text: string): 'node' | 'spec' {
  if (text === 'node' || text === 'spec') return text
  throw new ConfigError(`--dialect must be node or spec, not ${JSON.stringify(text)}.`, { code: 'config.dialect' })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
