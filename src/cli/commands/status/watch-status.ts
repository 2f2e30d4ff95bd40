import { ConfigError, LockedError } from '../../../errors.ts'
import { pause } from '../../../lib/pause.ts'
import { visibleText } from '../../../lib/text/visible-text.ts'
import { printLine, printText } from '../../terminal/output.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { totalsLine } from './lake-text.ts'
import { readLakeStatus, type StatusFlags } from './read-status.ts'

/** Reading holds an embedded catalog, so that runs wait meanwhile: most of the time it is free for them. */
const everyMs = 5_000
const shareOfReading = 0.05

/** Clears the screen and its history of lines, and goes to its first cell. */
const clear = '\u001b[H\u001b[2J\u001b[3J'

/**
 * `chainlake status --watch`: shows the status until SIGINT or SIGTERM. In a terminal it replaces what it showed before; elsewhere it prints a
 * line for each snapshot. While another process holds the catalog, it shows nothing new. Resolves to the exit code.
 */
export async function watchStatus(names: readonly string[], flags: StatusFlags): Promise<number> {
  if (flags.json === true)
    throw new ConfigError('--watch prints no JSON.', {
      code: 'config.flags',
      hint: 'Run status --json repeatedly, or read the metrics of the run: run --metrics-port.',
    })
  const show = process.stdout.isTTY ? redraw : printNew()
  return untilSignal(async ({ signal }) => {
    while (!signal.aborted) {
      const startedMs = performance.now()
      const read = await readUnlessHeld(names, flags)
      const tookMs = performance.now() - startedMs
      if (read !== null) await show(read)
      await pause(Math.max(everyMs, tookMs / shareOfReading), signal).catch(() => undefined)
    }
    return 0
  })
}

type Read = Awaited<ReturnType<typeof readLakeStatus>>

async function readUnlessHeld(names: readonly string[], flags: StatusFlags): Promise<Read | null> {
  try {
    return await readLakeStatus(names, flags)
  } catch (error) {
    if (error instanceof LockedError) return null
    throw error
  }
}

async function redraw({ text }: Read): Promise<void> {
  const { columns, rows } = process.stdout
  const lines = visibleText(text(columns)).split('\n')
  // The totals stand first: the end of a list that is longer than the screen is left out.
  const shown = lines.length < rows ? lines : [...lines.slice(0, rows - 2), `… ${lines.length - rows + 2} more lines`]
  await printText(`${clear}${shown.join('\n')}\n`)
}

function printNew(): (read: Read) => Promise<void> {
  let last: number | null = null
  return async ({ status }) => {
    if (status.snapshotId === last) return
    last = status.snapshotId
    await printLine(`${new Date().toISOString().slice(0, 19)}Z ${totalsLine(status)}`)
  }
}
