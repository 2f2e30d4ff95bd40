import type { LakeLocation } from '../../catalog/place.ts'
import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { groupBy } from '../../lib/arrays.ts'
import { bytesText, counted, countText, durationText, namesText, shellText } from '../../lib/text.ts'
import { writeLastVerify } from '../../report/page-data.ts'
import type { EmitEvent } from '../../run/events.ts'
import type { Job } from '../../run/job.ts'
import { isSkipped } from '../../run/jobs/run-groups.ts'
import { readCertificate, writeCertificate } from '../../verify/certificate.ts'
import type { Finding, Unverifiable, VerifyReport } from '../../verify/report.ts'
import type { ComparedLists, ComparedService } from '../../verify/source/lists.ts'
import { compareLake, verifyLake } from '../../verify/verify-lake.ts'
import type { FlagsOf } from '../flags/command.ts'
import { jobsOf, resolveJob } from '../jobs/jobs.ts'
import { knownPipelines } from '../jobs/known-pipelines.ts'
import { allServiceHosts, profileSettings, promptNodeOptions, serviceProfile } from '../service-settings.ts'
import {
  itemsOf,
  type PipelinesOf,
  parseNodeUrl,
  parseWhole,
  readSettings,
  type Settings,
  whenWrongInput,
} from '../settings.ts'
import { createLogger, unreachedListener } from '../terminal/run-events.ts'
import { showProgress, terminalLines } from '../terminal/status-lines.ts'
import { printResult, untilSignal } from '../terminal/terminal.ts'
import type { verifyCommand } from './lake.ts'

type VerifyFlags = FlagsOf<typeof verifyCommand>

/** `chainlake verify`: exit code 0 without errors, 6 with errors. */
export async function runVerify(flags: VerifyFlags): Promise<number> {
  const settings = await (isAnyGiven(flags.service, flags.node)
    ? readSettings(flags, withoutModules)
    : readSettings(flags))
  refuseCombinations(flags)
  const lines = terminalLines()
  const logger = createLogger(settings.logLevel, lines)
  const sources = await sourcesOf(flags, settings, unreachedListener(logger))
  return untilSignal(async ({ signal: stop }) => {
    const making = makeReport(flags, settings.lake, sources, { stop, lines })
    const report = await making.finally(() => lines?.clear())
    await saveResults(flags, settings.lake.folder, report)
    const sound = report.findings.length === 0
    await printResult(flags, { format: 1, sound, ...report }, verifyText(report, flags))
    return sound ? 0 : 6
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

/**
 * What the lake is compared with: a node (`--node`) and its lists, a JSON-RPC API (`--rpc`), and the service with the URL, profile and key
 * that `run` would use (`--service`).
 */
async function sourcesOf(flags: VerifyFlags, settings: Settings, emit: EmitEvent) {
  const { node, rpc, service, sample } = flags
  const count = sample === undefined ? defaultSample : parseWhole('--sample', sample, 1)
  const common = { ...promptNodeOptions(settings), sample: count, emit }
  const at = (flag: string, url: string) => ({ ...common, nodeUrl: parseNodeUrl(`--${flag}`, url) })
  const compared = async (url: string): Promise<ComparedService> => {
    const profile = await profileSettings(flags, settings)
    const given = url === 'configured' ? profile : { ...profile, dataUrl: parseNodeUrl('--service', url) }
    const services = allServiceHosts(settings.services)
    return { ...common, ...listsOf('service', settings), service: await serviceProfile(given), services }
  }
  return {
    ...(node === undefined ? {} : { node: { ...at('node', node), lists: listsOf('node', settings) } }),
    ...(rpc === undefined ? {} : { rpc: at('rpc', rpc) }),
    ...(service === undefined ? {} : { service: await compared(service) }),
  }
}

/** The pipelines and the jobs of chainlake.yaml that read lists of such a source. */
function listsOf(source: 'service' | 'node', settings: Settings): Omit<ComparedLists, 'sample'> {
  const hasLists = ({ reads, walks }: Pipeline) =>
    (reads === 'node') === (source === 'node') && walks.some((kind) => kind !== 'range')
  return {
    pipelines: settings.pipelines.filter(hasLists),
    async jobs(stop) {
      const jobs: Job[] = []
      for (const name of Object.keys(settings.jobs)) {
        const [request] = jobsOf([name], {}, settings)
        if (request?.kind !== 'requested' || !hasLists(request.pipeline)) continue
        // A job that cannot run now names no list; verify finds the list by its name, or reports it.
        const job = await resolveJob(request, settings.lake, stop).catch(whenWrongInput(null))
        if (job !== null && !isSkipped(job)) jobs.push(job)
      }
      return jobs
    },
  }
}

async function makeReport(
  flags: VerifyFlags,
  lake: LakeLocation,
  sources: object,
  { stop, lines }: { readonly stop: AbortSignal; readonly lines: ReturnType<typeof terminalLines> },
): Promise<VerifyReport> {
  const options = { lake, networks: itemsOf(flags.networks), tables: itemsOf(flags.tables), stop }
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
  const result = { snapshot: snapshot.snapshotId, fast: flags.fast === true, findings: findings.length }
  // A failure to save the result is only a warning.
  await writeLastVerify(lakeDir, result).catch((error: Error) => {
    process.stderr.write(`warning: the result of the verification could not be saved in the lake: ${error.message}\n`)
  })
}

/** Records per stream that are compared with a node or a service. */
const defaultSample = 1_000

/** Up to this many findings per kind and table are printed, and lists of a table that cannot be verified; `--json` has all. */
const shownAlike = 10

/** The findings, and what to do, for people. Notes come first where nothing was found, so that the last line is the result. */
export function verifyText(
  report: VerifyReport,
  {
    certificate,
    against,
    since,
  }: Readonly<Partial<Record<'certificate' | 'against' | 'since', string | undefined>>> = {},
): string {
  const { findings, remarks, unverifiable, checked, known, lake, snapshot, mode, seconds } = report
  const of = `${lake} at snapshot ${snapshot.snapshotId}`
  const lines =
    findings.length === 0
      ? []
      : [
          `${counted(findings.length, 'error')} in ${of}:`,
          '',
          ...alikeLines(findings, ({ kind, table }) => `${kind} ${table ?? ''}`, findingLines),
          '',
          ...adviceLines(findings, lake),
          '',
        ]
  for (const { message } of remarks) lines.push(`note: ${message}`)
  lines.push(...unverifiableLines(unverifiable))
  if (certificate !== undefined)
    lines.push(
      report.certificate === null
        ? `No certificate was written to ${certificate}, since there are errors.`
        : `Wrote the certificate to ${certificate}.`,
    )
  lines.push(
    `Checked ${filesText(checked)} in ${durationText(seconds)}${mode === 'fast' ? '; without --fast, every byte and row is checked as well' : ''}.`,
    ...(known === undefined
      ? []
      : [
          `Of ${filesText(known)} that the certificate names, only sizes, metadata and statistics were checked; without --since, every byte and row is.`,
        ]),
    ...(findings.length === 0 ? [soundText(of, mode, against ?? since)] : []),
  )
  return lines.join('\n')
}

function soundText(of: string, mode: VerifyReport['mode'], certificate: string | undefined): string {
  const texts = {
    full: `No errors in ${of}.`,
    fast: `No errors in sizes, metadata and statistics of the files of ${of}.`,
    since: `No errors in what ${of} has that is new since the certificate ${certificate}.`,
    against: `${of} matches the certificate ${certificate}.`,
  }
  return texts[mode]
}

function filesText({ files, bytes, tables, rows }: VerifyReport['checked']): string {
  return `${countText(files)} files of ${bytesText(bytes)} in ${countText(tables)} tables with ${countText(rows)} rows`
}

/** The lines of the first of each group that is alike, and how many more there are. */
function alikeLines<T>(
  all: readonly T[],
  kindOf: (one: T) => string,
  linesOf: (one: T) => readonly string[],
): string[] {
  return [...groupBy(all, kindOf).values()].flatMap((alike) => {
    const more = alike.length - shownAlike
    return [
      ...alike.slice(0, shownAlike).flatMap(linesOf),
      ...(more > 0 ? [`  … and ${countText(more)} more of this kind; --json lists all`] : []),
    ]
  })
}

/** One block per reason, since many tables share a reason, and few lines per table, since a table may have hundreds of streams. */
function unverifiableLines(all: readonly Unverifiable[]): string[] {
  return [...groupBy(all, ({ reason }) => reason)].flatMap(([reason, ofReason]) => [
    `cannot be verified here: ${reason}`,
    ...alikeLines(
      ofReason,
      ({ table }) => table,
      (each) => [`  ${unverifiableText(each)}`],
    ),
  ])
}

function unverifiableText({ table, stream, columns = [], partly = [] }: Unverifiable): string {
  const of = stream === undefined ? table : `${table} of ${stream}`
  const texts = [columnsText(columns), partly.length === 0 ? '' : `in some rows also ${columnsText(partly)}`]
  return [of, texts.filter((text) => text !== '').join('; ')].filter((text) => text !== '').join(': ')
}

/** Up to this many columns are printed; `--json` has all. */
const columnsShown = 4

function columnsText(columns: readonly string[]): string {
  return `${namesText(columns, columnsShown)}${columns.length > columnsShown + 1 ? ' (--json lists all)' : ''}`
}

function findingLines(finding: Finding): string[] {
  const { kind, message, bytes, slice, holds, key, rows } = finding
  const row = Object.entries(key ?? {}).map(([name, value]) => `${name} ${value}`)
  const facts: [string, string | undefined][] = [
    ['file', finding.file],
    ['bytes', bytes && `${bytes.from} to ${bytes.to}`],
    ['columns', finding.columns?.join(', ')],
    ['row group', finding.rowGroup?.toString()],
    ['stream', finding.stream],
    ['slice', slice && `[${slice.from}, ${slice.to})`],
    ['holds', holds && heldText(holds)],
    ['height', finding.height?.toString()],
    ['other table', finding.otherTable],
    ['row', key && row.join(', ')],
    ['rows', rows === undefined ? undefined : countText(rows)],
    ['expected', finding.expected],
    ['found', finding.found],
  ]
  return [
    `${message} (${kind})`,
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: ${value}`])),
  ]
}

/** Up to this many slices are printed for a file that several streams share. */
const slicesShown = 5

function heldText(holds: NonNullable<Finding['holds']>): string {
  const texts = holds.map(({ stream, slice }) => (slice === null ? stream : `${stream} [${slice.from}, ${slice.to})`))
  const more = texts.length - slicesShown
  return [...texts.slice(0, slicesShown), ...(more > 0 ? [`${countText(more)} more`] : [])].join(', ')
}

/** What to do about the findings. */
function adviceLines(findings: readonly Finding[], lake: string): string[] {
  const kinds = [...new Set(findings.map(({ kind }) => kind))]
  const has = (start: string) => kinds.some((kind) => kind.startsWith(start))
  const lines = ['What to do:']
  if (kinds.some((kind) => kind.startsWith('file.') && kind !== 'file.unknown'))
    lines.push(
      '  Damaged files: if a copy of data/ has undamaged versions, put them back and verify again.',
      `  Otherwise run chainlake repair --dry-run --lake ${shellText(lake)} to see what it would remove. Run it without --dry-run to remove the damaged files; the next run fetches their rows again.`,
    )
  if (has('file.unknown'))
    lines.push(
      '  Files of unknown origin: no view reads them. Move them out of data/ once you know where they come from.',
    )
  if (has('published.'))
    lines.push(`  Published files: run chainlake views --lake ${shellText(lake)} to write them again from the catalog.`)
  if (has('catalog.'))
    lines.push('  The catalog contradicts itself: restore a backup (chainlake restore), then verify again.')
  if (has('rows.'))
    lines.push(
      `  Rows contradict each other: run chainlake repair --stream STREAM --from N --to M --lake ${shellText(lake)} to remove a range; the next run fetches it again.`,
    )
  if (has('source.') || has('certificate.'))
    lines.push('  The lake differs from another source: find out which one is right before you repair anything.')
  return lines
}
