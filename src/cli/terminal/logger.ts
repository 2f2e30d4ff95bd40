import { pino } from 'pino'
import { visibleText } from '../../lib/text/visible-text.ts'
import type { LogLevel } from './logger-levels.ts'

export type Logger = {
  debug(message: string, facts?: object): void
  info(message: string, facts?: object): void
  warn(message: string, facts?: object): void
  error(message: string, facts?: object): void
}

type LoggerOptions = { level: LogLevel; terminal: boolean; progress?: { above(line: string): void } }

/** Logs to stderr: JSON lines, or short lines above the progress line when stderr is a terminal. */
export function createLogger({ level, terminal, progress }: LoggerOptions): Logger {
  const write = (line: string): void => {
    // Control characters are escaped as JSON does it, so that the parsed values are the same.
    if (!terminal) process.stderr.write(visibleText(line))
    else if (progress === undefined) process.stderr.write(`${humanLine(line)}\n`)
    else progress.above(humanLine(line))
  }
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  return {
    debug: (message, facts = {}) => logger.debug(facts, message),
    info: (message, facts = {}) => logger.info(facts, message),
    warn: (message, facts = {}) => logger.warn(facts, message),
    error: (message, facts = {}) => logger.error(facts, message),
  }
}

/** `{"level":"warn","time":"2026-01-02T03:04:05.678Z","url":"…","msg":"…"}` → `03:04:05 warn  … url=…`. */
export function humanLine(json: string): string {
  const { level, time, msg, ...facts } = JSON.parse(json) as Record<string, unknown>
  const rest = Object.entries(facts).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const text = [String(time).slice(11, 19), String(level).padEnd(5), msg, ...rest].join(' ')
  return visibleText(text.replace(/\s*\n\s*/g, ' '))
}
