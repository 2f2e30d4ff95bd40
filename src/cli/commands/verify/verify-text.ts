import { groupBy } from '../../../lib/group-by.ts'
import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { durationText } from '../../../lib/text/duration-text.ts'
import type { Finding, Unverifiable } from '../../../verify/lake/finding.ts'
import type { CheckedFiles, VerifyReport } from '../../../verify/report.ts'

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
          `${countText(findings.length)} ${findings.length === 1 ? 'error' : 'errors'} in ${of}:`,
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

function filesText({ files, bytes, tables, rows }: CheckedFiles): string {
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
  const more = columns.length - columnsShown
  if (more <= 1) return columns.join(', ')
  return `${columns.slice(0, columnsShown).join(', ')} and ${countText(more)} more (--json lists all)`
}

function findingLines(finding: Finding): string[] {
  const {
    kind,
    message,
    file,
    stream,
    slice,
    height,
    key,
    bytes,
    columns,
    rowGroup,
    holds,
    otherTable,
    expected,
    found,
    rows,
  } = finding
  const facts: [string, string | undefined][] = [
    ['file', file],
    ['bytes', bytes && `${bytes.from} to ${bytes.to}`],
    ['columns', columns?.join(', ')],
    ['row group', rowGroup?.toString()],
    ['stream', stream],
    ['slice', slice && `[${slice.from}, ${slice.to})`],
    ['holds', holds && heldText(holds)],
    ['height', height?.toString()],
    ['other table', otherTable],
    [
      'row',
      key &&
        Object.entries(key)
          .map(([name, value]) => `${name} ${value}`)
          .join(', '),
    ],
    ['rows', rows === undefined ? undefined : countText(rows)],
    ['expected', expected],
    ['found', found],
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
  const kinds = new Set(findings.map(({ kind }) => kind))
  const has = (start: string) => [...kinds].some((kind) => kind.startsWith(start))
  const lines = ['What to do:']
  if ([...kinds].some((kind) => kind.startsWith('file.') && kind !== 'file.unknown'))
    lines.push(
      '  Damaged files: if a copy of data/ has undamaged versions, put them back and verify again.',
      `  Otherwise run chainlake repair --dry-run --lake ${lake} to see what it would remove. Run it without --dry-run to remove the damaged files; the next run fetches their rows again.`,
    )
  if (kinds.has('file.unknown'))
    lines.push(
      '  Files of unknown origin: no view reads them. Move them out of data/ once you know where they come from.',
    )
  if (has('published.'))
    lines.push(`  Published files: run chainlake views --lake ${lake} to write them again from the catalog.`)
  if (has('catalog.'))
    lines.push('  The catalog contradicts itself: restore a backup (chainlake restore), then verify again.')
  if (has('rows.'))
    lines.push(
      `  Rows contradict each other: run chainlake repair --stream STREAM --from N --to M --lake ${lake} to remove a range; the next run fetches it again.`,
    )
  if (has('source.') || has('certificate.'))
    lines.push('  The lake differs from another source: find out which one is right before you repair anything.')
  return lines
}
