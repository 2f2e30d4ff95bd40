import { ConfigError } from '../../../errors.ts'
import { guessedStreams } from '../../../repair/count-rows.ts'
import { type Repair, type RequestedChain, type RequestedSlices, repairLake } from '../../../repair/repair-lake.ts'
import { parseWhole } from '../../settings/numbers.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { showProgress } from '../../terminal/show-progress.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { terminalLines } from '../../terminal/status-lines.ts'
import { repairText } from './repair-text.ts'

type RepairFlags = SettingFlags & {
  readonly 'dry-run'?: boolean | undefined
  readonly 'accept-loss'?: boolean | undefined
  readonly stream?: string | undefined
  readonly chain?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly tables?: string | undefined
  readonly json?: boolean | undefined
}

/** `chainlake repair`: exit code 0 when no damage is left, 6 when damaged files stay because their rows cannot be fetched again. */
export async function runRepair(flags: RepairFlags): Promise<number> {
  const { lake } = await readSettings(flags)
  const requested = requestedChain(flags) ?? requestedSlices(flags)
  const [dryRun, acceptLoss] = [flags['dry-run'] === true, flags['accept-loss'] === true]
  return untilSignal(async ({ signal, code }) => {
    const lines = terminalLines()
    try {
      const onProgress = lines === undefined ? {} : { onProgress: showProgress(lines) }
      const repair = await repairLake({ lake, requested, dryRun, acceptLoss, stop: signal, ...onProgress })
      lines?.clear()
      if (flags.json) await printJson(repairFacts(repair, dryRun))
      else await printLine(repairText(repair, { dryRun, acceptLoss }))
      return !acceptLoss && repair.plan.lost.length > 0 ? 6 : 0
    } catch (error) {
      lines?.clear()
      if (signal.aborted && error === signal.reason) return code() ?? 1
      throw error
    }
  })
}

function requestedChain({ chain, stream, from, to, tables }: RepairFlags): RequestedChain | null {
  if (chain === undefined) return null
  const [, network, chainId] = /^([^/]+)\/([^/?]+)$/.exec(chain) ?? []
  if (network === undefined || chainId === undefined)
    throw new ConfigError(`${JSON.stringify(chain)} names no chain of a network.`, {
      code: 'config.option',
      hint: 'Give the network and the chain id as in the columns of the rows, such as --chain evm-43112/43112.',
    })
  if ([stream, from, to, tables].every((flag) => flag === undefined)) return { network, chainId }
  throw new ConfigError('--chain removes all rows of a chain: it takes no --stream, --from, --to and --tables.', {
    code: 'config.option',
    hint: 'Give either --chain or --stream.',
  })
}

function requestedSlices({ stream, from, to, tables }: RepairFlags): RequestedSlices | null {
  if (stream === undefined) {
    if (from === undefined && to === undefined && tables === undefined) return null
    throw new ConfigError('--from, --to and --tables need --stream.', {
      code: 'config.option',
      hint: 'Give --stream with a name from chainlake status, such as P/block, or leave these flags out to repair damaged files.',
    })
  }
  const slice = {
    from: from === undefined ? 0 : parseWhole('--from', from, 0),
    to: to === undefined ? Number.MAX_SAFE_INTEGER : parseWhole('--to', to, 1),
  }
  if (slice.from >= slice.to)
    throw new ConfigError(`--from ${slice.from} is not below --to ${slice.to}.`, {
      code: 'config.range',
      hint: '--from is inclusive and --to is exclusive.',
    })
  return { stream, slice, tables: tables?.split(',').flatMap((name) => name.trim() || []) ?? null }
}

/** The result for `--json`; its format is versioned. */
function repairFacts({ lake, findings, plan, again, needsCode, snapshotId }: Repair, dryRun: boolean) {
  const fileOf = ({ table, file, damaged }: Repair['plan']['files'][number]) => ({
    table: table.name,
    path: file.path,
    rows: file.rows,
    damaged,
  })
  return {
    format: 1,
    lake,
    dryRun,
    findings,
    removed: plan.files.map(fileOf),
    uncovered: plan.cuts,
    fetchedAgain: again,
    lists: plan.lists,
    /** Streams that the next run reads again only with the code of their pipelines. */
    needsCode,
    lost: plan.lost.map(fileOf),
    /** Streams with approximate row counts from now on. */
    countedAbout: guessedStreams(plan),
    snapshotId,
  }
}
