import { eastAsianWidth } from 'get-east-asian-width'
import { countText } from '../../lib/text.ts'
import type { OnProgress } from '../../verify/report.ts'
import { canRedraw } from './terminal.ts'

type StatusLines = ReturnType<typeof createStatusLines>

type TerminalOptions = { readonly write?: (text: string) => void; readonly width?: () => number }

/** Lines at the bottom of a terminal that change in place. The cursor stays visible, and no line is longer than the terminal is wide. */
export function createStatusLines(options: TerminalOptions = {}) {
  const write = options.write ?? ((text: string) => process.stderr.write(text))
  // A terminal of unknown width reports 0.
  const columns = options.width ?? (() => process.stderr.columns || 80)
  /** Columns that a line may have: in the last column some terminals begin the next line. */
  const width = (): number => Math.max(1, columns() - 1)
  let shown: readonly string[] = []
  const erasing = (): string => {
    if (shown.length === 0) return ''
    // A terminal that became narrower has broken the lines.
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / Math.max(1, columns()))), 0)
    return `\r${rows > 1 ? `\u001b[${rows - 1}A` : ''}\u001b[J`
  }
  // An exit in the middle of the work leaves a clean terminal, too.
  const clearAtExit = (): void => void write(erasing())
  /** Replaces the lines. */
  const show = (lines: readonly string[]): void => {
    const cut = lines.map((line) => cutText(line, width()))
    if (cut.length === shown.length && cut.every((line, at) => line === shown[at])) return
    if (shown.length === 0) process.on('exit', clearAtExit)
    if (cut.length === 0) process.off('exit', clearAtExit)
    write(`${erasing()}${cut.join('\n')}`)
    shown = cut
  }
  return {
    show,
    /** Prints a line above them. */
    above(line: string): void {
      write(`${erasing()}${line}\n${shown.join('\n')}`)
    },
    clear: () => show([]),
    width,
  }
}

/** The status lines of the terminal that stderr is; undefined where it is none. */
export function terminalLines(): StatusLines | undefined {
  return canRedraw(process.stderr) ? createStatusLines() : undefined
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** How many columns of a terminal a text takes: two for letters of East Asian scripts and for emoji, one for others. */
export function textColumns(text: string): number {
  // Most cells are ASCII, which needs no segments.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let columns = 0
  for (const { segment } of segmenter.segment(text)) columns += segmentColumns(segment)
  return columns
}

/** A text that takes at most these columns; `…` replaces what is left out at its end. */
export function cutText(text: string, columns: number): string {
  if (textColumns(text) <= columns) return text
  let taken = 0
  let cut = ''
  for (const { segment } of segmenter.segment(text)) {
    taken += segmentColumns(segment)
    if (taken > columns - 1) break
    cut += segment
  }
  return `${cut}…`
}

function segmentColumns(segment: string): number {
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(segment)) return 2
  if (/^\p{Mark}+$/u.test(segment)) return 0
  return eastAsianWidth(segment.codePointAt(0)!)
}

const shownEachMs = 200

/** Shows progress as one line on a terminal. */
export function showProgress(lines: StatusLines): OnProgress {
  let shownMs = Number.NEGATIVE_INFINITY
  return ({ what, done, of }) => {
    const nowMs = performance.now()
    if (done < of && nowMs - shownMs < shownEachMs) return
    shownMs = nowMs
    lines.show(done < of ? [`${what}: ${countText(done)} of ${countText(of)}`] : [])
  }
}

/** Shows the generation of the simulated chain as one line on a terminal, and clears the line at the end. */
export function showGeneration(): (generated: { readonly containers: number; readonly of: number }) => void {
  const lines = terminalLines()
  if (lines === undefined) return () => undefined
  const show = showProgress(lines)
  return ({ containers, of }) => show({ what: 'Generating the simulated chain, containers', done: containers, of })
}
