import type { LakeLocation } from '../../../catalog/place/lake-location.ts'
import type { Pipeline } from '../../../define/index.ts'
import { ConfigError } from '../../../errors.ts'
import type { EmitEvent } from '../../../run/job/events.ts'
import type { Job } from '../../../run/job/job.ts'
import { readCertificate, writeCertificate } from '../../../verify/certificate/certificate-file.ts'
import type { VerifyReport } from '../../../verify/report.ts'
import type { ComparedLists, ComparedService, ListSource } from '../../../verify/source/ask-lists.ts'
import { compareLake, verifyLake } from '../../../verify/verify-lake.ts'
import { knownPipelines } from '../../jobs/known-pipelines.ts'
import { promptNodeOptions } from '../../settings/node-options.ts'
import { parseNodeUrl, parseWhole } from '../../settings/numbers.ts'
import { type PipelinesOf, readSettings, type Settings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { unreachedListener } from '../../terminal/run-events.ts'
import { showProgress } from '../../terminal/show-progress.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { type StatusLines, terminalLines } from '../../terminal/status-lines.ts'
import { recordVerify } from './record-verify.ts'
import { verifyText } from './verify-text.ts'

type VerifyFlags = SettingFlags & {
  readonly fast?: boolean | undefined
  readonly json?: boolean | undefined
  readonly node?: string | undefined
  readonly rpc?: string | undefined
  readonly service?: string | undefined
  readonly sample?: string | undefined
  readonly certificate?: string | undefined
  readonly against?: string | undefined
  readonly since?: string | undefined
  readonly networks?: string | undefined
  readonly tables?: string | undefined
}

/** `chainlake verify`: exit code 0 without errors, 6 with errors. */
export async function runVerify(flags: VerifyFlags): Promise<number> {
  const settings = await (isAnyGiven(flags.service, flags.node)
    ? readSettings(flags, withoutModules)
    : readSettings(flags))
  refuseCombinations(flags)
  const lines = terminalLines()
  const logger = createLogger({
    level: settings.logLevel,
    terminal: process.stderr.isTTY === true,
    ...(lines === undefined ? {} : { progress: lines }),
  })
  const emit = unreachedListener(logger)
  const sources = {
    ...nodeOf(flags, settings, emit),
    ...sourceOf('rpc', flags, settings, emit),
    ...(flags.service === undefined ? {} : { service: await serviceOf(flags.service, flags, settings, emit) }),
  }
  return untilSignal(async ({ signal, code }) => {
    try {
      const report = await makeReport(flags, settings.lake, sources, { stop: signal, lines })
      lines?.clear()
      await saveResults(flags, settings.lake.folder, report)
      if (flags.json) await printJson({ format: 1, sound: report.findings.length === 0, ...report })
      else await printLine(verifyText(report, flags))
      return report.findings.length === 0 ? 0 : 6
    } catch (error) {
      lines?.clear()
      if (signal.aborted && error === signal.reason) return code() ?? 1
      throw error
    }
  })
}

/** `verify` executes no module. */
const withoutModules: PipelinesOf = (config, flags) => knownPipelines(config, { ...flags, 'no-modules': true })

function refuseCombinations({ against, certificate, fast, since, node, rpc, service }: VerifyFlags): void {
  const refuse = (first: string, others: string, hint: string): never => {
    throw new ConfigError(`${first} cannot be combined with ${others}.`, { code: 'config.usage', hint })
  }
  if (against !== undefined && (fast === true || isAnyGiven(certificate, since, node, rpc, service)))
    refuse(
      '--against',
      '--certificate, --since, --fast, --node, --rpc or --service',
      'Run chainlake verify twice: with --against, and without it.',
    )
  if (certificate !== undefined && fast === true)
    refuse('--certificate', '--fast', 'Remove --fast: a certificate is about rows, which --fast does not read.')
  if (since !== undefined && fast === true)
    refuse('--since', '--fast', 'Remove --fast: --since already reads only files that are new.')
}

function isAnyGiven(...flags: readonly (string | undefined)[]): boolean {
  return flags.some((flag) => flag !== undefined)
}

/** The node of `--node`, and its lists; none without the flag. */
function nodeOf(flags: VerifyFlags, settings: Settings, emit: EmitEvent) {
  const { node } = sourceOf('node', flags, settings, emit)
  return node === undefined ? {} : { node: { ...node, lists: listsOf('node', settings) } }
}

/** The options for the comparison with a node (`--node`) or a JSON-RPC API (`--rpc`); none without the flag. */
function sourceOf(name: 'node' | 'rpc', flags: VerifyFlags, settings: Settings, emit: EmitEvent) {
  const url = flags[name]
  const sample = sampleOf(flags)
  if (url === undefined) return {}
  return { [name]: { ...promptNodeOptions(settings), nodeUrl: parseNodeUrl(`--${name}`, url), sample, emit } }
}

function sampleOf({ sample }: VerifyFlags): number {
  return sample === undefined ? defaultSample : parseWhole('--sample', sample, 1)
}

/** The service with the URL, profile and key that `run` would use, and the jobs of chainlake.yaml that read services. */
async function serviceOf(
  url: string,
  flags: VerifyFlags,
  settings: Settings,
  emit: EmitEvent,
): Promise<ComparedService> {
  const [{ profileSettings, serviceProfile }, { allServiceHosts }] = await Promise.all([
    import('../../settings/service-settings.ts'),
    import('../../settings/host-settings.ts'),
  ])
  const profile = await profileSettings(flags, settings)
  const given = url === 'configured' ? profile : { ...profile, dataUrl: parseNodeUrl('--service', url) }
  return {
    ...promptNodeOptions(settings),
    service: await serviceProfile(given),
    services: allServiceHosts(settings.services),
    sample: sampleOf(flags),
    emit,
    ...listsOf('service', settings),
  }
}

/** The pipelines and the jobs of chainlake.yaml that read lists of such a source. */
function listsOf(source: ListSource, settings: Settings): Omit<ComparedLists, 'sample'> {
  const hasLists = ({ reads, walks }: Pipeline) =>
    (reads === 'node') === (source === 'node') && walks.some((kind) => kind !== 'range')
  return {
    pipelines: settings.pipelines.filter(hasLists),
    async jobs(stop) {
      const [{ jobsOf }, { isSkipped, resolveJob }] = await Promise.all([
        import('../../jobs/jobs.ts'),
        import('../../jobs/resolve-job.ts'),
      ])
      const names = Object.keys(settings.jobs)
      const requested = (names.length === 0 ? [] : jobsOf(names, {}, settings)).filter(
        (job) => job.kind === 'requested' && hasLists(job.pipeline),
      )
      const jobs: Job[] = []
      for (const request of requested) {
        const job = await resolveJob(request, settings.lake, stop).catch(whenConfigError)
        if (job !== null && !isSkipped(job)) jobs.push(job)
      }
      return jobs
    },
  }
}

/** A job that cannot run now names no list; verify finds the list by its name, or reports it. */
function whenConfigError(error: unknown): null {
  if (error instanceof ConfigError) return null
  throw error
}

async function makeReport(
  flags: VerifyFlags,
  lake: LakeLocation,
  sources: object,
  { stop, lines }: { readonly stop: AbortSignal; readonly lines: StatusLines | undefined },
): Promise<VerifyReport> {
  const options = { lake, networks: listed(flags.networks), tables: listed(flags.tables), stop }
  if (flags.against !== undefined) return compareLake(options, await readCertificate(flags.against))
  return verifyLake({
    ...options,
    fast: flags.fast === true,
    ...(flags.since === undefined ? {} : { since: await readCertificate(flags.since) }),
    ...sources,
    certifying: flags.certificate !== undefined,
    ...(lines === undefined ? {} : { onProgress: showProgress(lines) }),
  })
}

/** Writes the certificate; for a verification of the whole lake also its result, for reports. */
async function saveResults(flags: VerifyFlags, lakeDir: string, report: VerifyReport): Promise<void> {
  const { certificate, snapshot, findings } = report
  if (flags.certificate !== undefined && certificate !== null) await writeCertificate(flags.certificate, certificate)
  if (isAnyGiven(flags.against, flags.since, flags.networks, flags.tables)) return
  await recordVerify(lakeDir, {
    snapshot: snapshot.snapshotId,
    fast: flags.fast === true,
    findings: findings.length,
  })
}

function listed(text: string | undefined): readonly string[] {
  return text?.split(',').flatMap((item) => item.trim() || []) ?? []
}

/** Records per stream that are compared with a node or a service. */
const defaultSample = 1_000
