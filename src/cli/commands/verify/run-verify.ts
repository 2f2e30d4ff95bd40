import { ConfigError } from '../../../errors.ts'
import { readCertificate, writeCertificate } from '../../../verify/certificate/certificate-file.ts'
import { compareLake, verifyLake } from '../../../verify/verify-lake.ts'
import { nodeOptions } from '../../settings/node-options.ts'
import { parseNodeUrl, parseWhole } from '../../settings/numbers.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { showProgress } from '../../terminal/show-progress.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { recordVerify } from './record-verify.ts'
import { verifyText } from './verify-text.ts'

type VerifyFlags = SettingFlags & {
  readonly fast?: boolean | undefined
  readonly json?: boolean | undefined
  readonly node?: string | undefined
  readonly rpc?: string | undefined
  readonly sample?: string | undefined
  readonly certificate?: string | undefined
  readonly against?: string | undefined
  readonly networks?: string | undefined
  readonly tables?: string | undefined
}

/** `chainlake verify`: exit code 0 without errors, 6 with errors. */
export async function runVerify(flags: VerifyFlags): Promise<number> {
  const settings = await readSettings(flags)
  const { lake } = settings
  if (
    flags.against !== undefined &&
    (flags.certificate !== undefined || flags.fast === true || flags.node !== undefined || flags.rpc !== undefined)
  )
    throw new ConfigError('--against cannot be combined with --certificate, --fast, --node or --rpc.', {
      code: 'config.usage',
      hint: 'Run chainlake verify twice: with --against, and without it.',
    })
  const sample = flags.sample === undefined ? defaultSample : parseWhole('--sample', flags.sample, 1)
  const asked = (name: 'node' | 'rpc', url: string | undefined) =>
    url === undefined ? {} : { [name]: { ...nodeOptions(settings), nodeUrl: parseNodeUrl(`--${name}`, url), sample } }
  return untilSignal(async ({ signal, code }) => {
    try {
      const options = { lakeDir: lake, networks: listed(flags.networks), tables: listed(flags.tables), stop: signal }
      const report =
        flags.against === undefined
          ? await verifyLake({
              ...options,
              fast: flags.fast === true,
              ...asked('node', flags.node),
              ...asked('rpc', flags.rpc),
              certifying: flags.certificate !== undefined,
              ...(process.stderr.isTTY ? { onProgress: showProgress() } : {}),
            })
          : await compareLake(options, await readCertificate(flags.against))
      if (flags.certificate !== undefined && report.certificate !== null)
        await writeCertificate(flags.certificate, report.certificate)
      if (flags.against === undefined && flags.networks === undefined && flags.tables === undefined)
        await recordVerify(lake, {
          snapshot: report.snapshot.snapshotId,
          fast: flags.fast === true,
          findings: report.findings.length,
        })
      if (flags.json) await printJson({ format: 1, sound: report.findings.length === 0, ...report })
      else await printLine(verifyText(report, flags))
      return report.findings.length === 0 ? 0 : 6
    } catch (error) {
      if (signal.aborted && error === signal.reason) return code() ?? 1
      throw error
    }
  })
}

function listed(text: string | undefined): readonly string[] {
  return text?.split(',').flatMap((item) => item.trim() || []) ?? []
}

/** Records per stream that are compared with a node. */
const defaultSample = 1_000
