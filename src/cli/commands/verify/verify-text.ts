import type { Finding, Unverifiable } from '../../../verify/lake/finding.ts'
import type { VerifyReport } from '../../../verify/report.ts'
import { formatBytes, formatCount, formatSeconds } from '../../terminal/format.ts'

/** Findings of a kind and table that people are shown; `--json` has all. */
const shownAlike = 10

/** What was found, and what to do, for people. */
export function verifyText(
  report: VerifyReport,
  { certificate, against }: { readonly certificate?: string | undefined; readonly against?: string | undefined } = {},
): string {
  const { findings, remarks, unverifiable, checked, lake, snapshot, mode, seconds } = report
  const looked = `${formatCount(checked.files)} files of ${formatBytes(checked.bytes)} in ${formatCount(checked.tables)} tables with ${formatCount(checked.rows)} rows`
  const of = `${lake} at snapshot ${snapshot.snapshotId}`
  const lines =
    findings.length === 0
      ? [
          mode === 'against'
            ? `${of} holds what the certificate ${against} says.`
            : mode === 'fast'
              ? `Nothing is wrong with sizes, metadata and statistics of the files of ${of}.`
              : `Nothing is wrong with ${of}.`,
        ]
      : [`${formatCount(findings.length)} ${findings.length === 1 ? 'thing is' : 'things are'} wrong with ${of}:`, '']
  for (const alike of grouped(findings)) {
    for (const finding of alike.slice(0, shownAlike)) lines.push(...findingLines(finding))
    if (alike.length > shownAlike)
      lines.push(`  … and ${formatCount(alike.length - shownAlike)} more of this kind; --json names all`)
  }
  if (findings.length > 0) lines.push('', ...adviceLines(findings, lake), '')
  for (const { message } of remarks) lines.push(`note: ${message}`)
  lines.push(...unverifiableLines(unverifiable))
  if (certificate !== undefined)
    lines.push(
      report.certificate === null
        ? `No certificate was written to ${certificate}, since something is wrong.`
        : `Its certificate was written to ${certificate}.`,
    )
  lines.push(
    `Looked at ${looked} in ${formatSeconds(seconds)}${mode === 'fast' ? '; without --fast also at every byte and row' : ''}.`,
  )
  return lines.join('\n')
}

/** By reason, since many tables share one. */
function unverifiableLines(all: readonly Unverifiable[]): string[] {
  const reasons = [...new Set(all.map(({ reason }) => reason))]
  return reasons.flatMap((reason) => [
    `not verifiable here: ${reason}`,
    ...all.filter((each) => each.reason === reason).map((each) => `  ${unverifiableText(each)}`),
  ])
}

function unverifiableText({ table, stream, columns = [], partly = [] }: Unverifiable): string {
  const of = stream === undefined ? table : `${table} of ${stream}`
  const texts = [columnsText(columns), partly.length === 0 ? '' : `in some rows also ${columnsText(partly)}`]
  return [of, texts.filter((text) => text !== '').join('; ')].filter((text) => text !== '').join(': ')
}

/** Columns that are named for people; `--json` names all. */
const columnsShown = 4

function columnsText(columns: readonly string[]): string {
  const more = columns.length - columnsShown
  if (more <= 1) return columns.join(', ')
  return `${columns.slice(0, columnsShown).join(', ')} and ${formatCount(more)} more (--json names all)`
}

function grouped(findings: readonly Finding[]): Finding[][] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const id = `${finding.kind} ${finding.table ?? ''}`
    const group = groups.get(id) ?? []
    groups.set(id, group)
    group.push(finding)
  }
  return [...groups.values()]
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
    ['rows', rows === undefined ? undefined : formatCount(rows)],
    ['expected', expected],
    ['found', found],
  ]
  return [
    `${message} (${kind})`,
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: ${value}`])),
  ]
}

/** Slices that are shown of a file that several streams share. */
const slicesShown = 5

function heldText(holds: NonNullable<Finding['holds']>): string {
  const texts = holds.map(({ stream, slice }) => (slice === null ? stream : `${stream} [${slice.from}, ${slice.to})`))
  const more = texts.length - slicesShown
  return [...texts.slice(0, slicesShown), ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ')
}

/** What to do now, by what was found. */
function adviceLines(findings: readonly Finding[], lake: string): string[] {
  const kinds = new Set(findings.map(({ kind }) => kind))
  const has = (start: string) => [...kinds].some((kind) => kind.startsWith(start))
  const lines = ['What to do:']
  if ([...kinds].some((kind) => kind.startsWith('file.') && kind !== 'file.unknown'))
    lines.push(
      '  Files that a copy of data/ still has as they were: put them back and verify again.',
      `  Otherwise chainlake repair --dry-run --lake ${lake} says what it would take out of the catalog; without --dry-run it does, and the next run fetches that anew.`,
    )
  if (kinds.has('file.unknown'))
    lines.push('  Unknown files are in no view: move them out of data/ once you know whose they are.')
  if (has('published.'))
    lines.push(`  The published files are written from the catalog: chainlake views --lake ${lake} writes them again.`)
  if (has('catalog.'))
    lines.push('  The catalog contradicts itself: restore a backup of it (chainlake restore), then verify again.')
  if (has('rows.'))
    lines.push(
      `  Rows contradict each other: chainlake repair --stream STREAM --from N --to M --lake ${lake} takes a range out, and the next run fetches it anew.`,
    )
  if (has('source.') || has('certificate.'))
    lines.push('  The lake and another source differ: find out which of the two is right before anything is repaired.')
  return lines
}
