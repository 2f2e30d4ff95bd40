import { cutText } from './text-width.ts'

/** Lines at the bottom of a terminal that change in place. The cursor stays visible, and no line is longer than the terminal is wide. */
export type StatusLines = {
  /** Replaces the lines. */
  readonly show: (lines: readonly string[]) => void
  /** Prints a line above them. */
  readonly above: (line: string) => void
  readonly clear: () => void
  /** Columns that a line may have. */
  readonly width: () => number
}

export type TerminalOptions = { readonly write?: (text: string) => void; readonly width?: () => number }

export function createStatusLines(options: TerminalOptions = {}): StatusLines {
  const write = options.write ?? ((text: string) => process.stderr.write(text))
  // A terminal of unknown width reports 0.
  const columns = options.width ?? (() => process.stderr.columns || 80)
  // In the last column some terminals begin the next line.
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
    above(line) {
      write(`${erasing()}${line}\n${shown.join('\n')}`)
    },
    clear: () => show([]),
    width,
  }
}

/** The status lines of the terminal that stderr is; undefined where it is none. */
export function terminalLines(): StatusLines | undefined {
  return process.stderr.isTTY ? createStatusLines() : undefined
}
