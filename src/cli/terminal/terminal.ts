import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ChainlakeError, ConfigError, StorageError } from '../../errors.ts'
import { packageRoot } from '../../lib/package.ts'
import { visibleText } from '../../lib/text.ts'

/**
 * Writes text or JSON with a line end to stdout. Control characters are escaped, in JSON as JSON escapes. Resolves when the text is
 * written, so that an exit cuts nothing off.
 */
export function printLine(text: string): Promise<void> {
  return printText(`${visibleText(text)}\n`)
}

/** Writes text to stdout unchanged. */
export function printText(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error && !hasTerminalClosed(error) ? reject(error) : resolve()))
  })
}

/** Whether a write to a stream failed because its terminal has closed: the first write fails with EIO, later ones find the stream destroyed. */
export function hasTerminalClosed(
  error: NodeJS.ErrnoException,
  stream: { readonly isTTY?: boolean } = process.stdout,
): boolean {
  return stream.isTTY === true && ['EIO', 'ERR_STREAM_DESTROYED'].includes(error.code ?? '')
}

/** Prints a result as JSON. Integers that a double cannot hold exactly become strings. */
export function printJson(value: unknown): Promise<void> {
  return printLine(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? exactNumber(item) : item), 2))
}

/** Prints the result of a command: with `--json` for machines, otherwise as text. */
export function printResult({ json }: { readonly json?: unknown }, facts: unknown, text: string): Promise<void> {
  return json === true ? printJson(facts) : printLine(text)
}

/** A bigint as a number where that is exact, otherwise as a string of digits. */
function exactNumber(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

/**
 * Ends the command quietly when the reader of stdout goes away (`chainlake sql … | head`), and with an error when stdout cannot be written,
 * such as a file on a full disk. A closed stderr is ignored, since lost log lines must not end an export; so is a terminal that has closed:
 * SIGHUP ends the command then, unless it was started to outlive its terminal.
 */
export function handleClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (hasTerminalClosed(error)) return
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    const failure = new StorageError('The output cannot be written to stdout.', {
      code: 'storage.output',
      details: { reason: error.message },
      hint: 'Check the free space where stdout goes. What the command committed before is safe.',
    })
    process.stderr.write(`${errorText(failure)}\n`)
    process.exit(failure.exitCode)
  })
  process.stderr.on('error', () => {})
}

/**
 * The terminal that a stream writes to; null if it writes to a file or to another program. `dim` shows a text in a weaker colour, if the terminal
 * shows colours.
 */
export function terminalOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: NodeJS.ProcessEnv = process.env,
) {
  if (stream.isTTY !== true || !stream.columns) return null
  const hasColours = showsColours(stream, env)
  return { columns: stream.columns, dim: (text: string) => (hasColours ? `\u001b[2m${text}\u001b[22m` : text) }
}

/** Whether a stream is a terminal where lines can change in place: a dumb one shows the commands for that as text. */
export function canRedraw(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}

/** Whether a stream shows colours, by the variables that `gh` and others know: to force them counts more than to forbid them. */
function showsColours({ isTTY }: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  const isSet = (name: string) => !['', '0', 'false'].includes(env[name] ?? '')
  if (isSet('CLICOLOR_FORCE') || isSet('FORCE_COLOR')) return true
  const isForbidden = (env['NO_COLOR'] ?? '') !== '' || env['CLICOLOR'] === '0' || env['FORCE_COLOR'] === '0'
  return isTTY === true && !isForbidden && env['TERM'] !== 'dumb'
}

const colours: Readonly<Record<string, string>> = { error: '1;31', BAD: '1;31', hint: '36', note: '33', ok: '32' }

/** A text with the words that begin its lines, such as `error:`, in colours where the stream shows them. */
export function coloured(
  text: string,
  stream: { readonly isTTY?: boolean } = process.stderr,
  env: NodeJS.ProcessEnv = process.env,
): string {
  if (!showsColours(stream, env)) return text
  return text.replace(
    /^(?:(?:error|hint|note)(?=:)|(?:BAD|ok|note)(?= ))/gm,
    (word) => `\u001b[${colours[word]}m${word}\u001b[0m`,
  )
}

/** The exit code of the command: that of the error, or 1 for an unexpected error. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ChainlakeError ? error.exitCode : (missingPackage(error)?.exitCode ?? 1)
}

/**
 * An error for people: the message, the indented facts, and the hint. Control characters are escaped, so that text from a source cannot
 * control the terminal.
 */
export function errorText(error: unknown): string {
  const { details, hint } = errorFacts(error)
  const shown = missingPackage(error) ?? error
  const [first, ...more] = linesOf(shown instanceof Error ? shown.message : String(shown))
  const facts = Object.entries(details).map(([name, value]) => `  ${name}: ${oneLine(String(value))}`)
  const lines = [
    `error: ${first ?? 'Unknown error.'}`,
    ...more.map((line) => `  ${line}`),
    ...facts,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ]
  return visibleText(lines.join('\n'))
}

type ErrorReport = {
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly hint?: string
}

/** The same error for machines. */
export function errorFacts(thrown: unknown): ErrorReport {
  const error = missingPackage(thrown) ?? thrown
  if (error instanceof ChainlakeError) {
    const details = Object.fromEntries(Object.entries(error.details).filter(([, value]) => value !== undefined))
    return {
      code: error.code,
      message: oneLine(error.message),
      details: { ...details, ...causeFact(error, details) },
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    }
  }
  const at = error instanceof Error ? placeInModule(error) : undefined
  if (at !== undefined)
    return {
      code: 'pipelines.failed',
      message: oneLine((error as Error).message),
      details: { at },
      hint: 'Correct the module of the pipeline. With --log-level debug the whole stack is printed.',
    }
  return {
    code: 'unexpected',
    message: oneLine(error instanceof Error ? error.message : String(error)) || 'Unknown error.',
    details: {},
    hint:
      error instanceof EvalError
        ? 'Start Node.js without --disallow-code-generation-from-strings: chainlake compiles its readers.'
        : 'This error is unexpected: run again with --log-level debug to see the stack trace, and report it.',
  }
}

/** The error for a package of chainlake that is not installed, such as one for this platform after `npm install --omit=optional`. */
function missingPackage(error: unknown): ConfigError | null {
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(code)) return null
  const name = /^Cannot find (?:module|package) '((?:@[^/']+\/)?[^/'.\\][^/']*)/.exec(message)?.[1]
  if (name === undefined || placeInModule(error as Error) !== undefined) return null
  return new ConfigError(`The package ${name} is not installed.`, {
    code: 'config.package',
    hint: 'Install chainlake again, with its optional packages: npm install --include=optional.',
  })
}

/** Where a module of the user failed, such as `/srv/gas.mjs:12:3`; undefined if only chainlake and packages are in the stack. */
function placeInModule({ stack = '' }: Error): string | undefined {
  for (const [, file = '', place] of stack.matchAll(/[\s(]((?:file:\/\/)?\/\S+?):(\d+:\d+)\)?$/gm)) {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    if (!path.startsWith(packageRoot()) && !/[\\/]node_modules[\\/]/.test(path)) return `${path}:${place}`
  }
  return undefined
}

/** The message of the cause, unless the error or one of its facts says the same. A code such as EACCES is no reason in words. */
function causeFact(error: ChainlakeError, details: ErrorReport['details']): { cause?: string } {
  if ('cause' in details || !(error.cause instanceof Error)) return {}
  const cause = oneLine(error.cause.message)
  const reason = oneLine(String(details['reason'] ?? ''))
  // After several tries the message is that of the last one, with their number in place of its full stop.
  const own = cause.replace(/\.$/, '')
  const isSaid = [error.message, ...Object.values(details)].some((text) => oneLine(String(text)).includes(own))
  return isSaid || (reason.includes(' ') && cause.includes(reason)) ? {} : { cause }
}

/** The lines of a message with their indentation, since DuckDB marks a column in the line above. */
function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ')
}

/** The absolute path of the file that a flag names. Throws ConfigError when its folder does not exist or the path is a folder. */
export async function writableFile(flag: string, path: string): Promise<string> {
  const file = resolve(path)
  const folder = await stat(dirname(file)).catch(() => null)
  const existing = await stat(file).catch(() => null)
  if (path !== '' && folder?.isDirectory() === true && existing?.isDirectory() !== true) return file
  throw new ConfigError(`${flag} does not name a writable file.`, {
    code: 'config.file',
    details: { file },
    hint: 'Give the path of a file in a folder that exists.',
  })
}

/** The exit code after a signal, as shells have it. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
type SignalName = keyof typeof exitCodes

/** `signal` is aborted by SIGHUP, SIGINT or SIGTERM; `code` gives the exit code of the process after that. */
type Interruption = { readonly signal: AbortSignal; readonly code: () => number | undefined }

/**
 * Runs `work` with a signal that SIGHUP, SIGINT or SIGTERM aborts. Resolves to the exit code: what `work` returns, or that of the signal,
 * or 0. A later SIGINT or SIGTERM ends the process at once; committed data is safe then, too. A later SIGHUP does not, since a terminal that
 * closes sends it twice: by the kernel and by its shell. `onSignal` is called with the first signal.
 */
export async function untilSignal(
  work: (interruption: Interruption) => Promise<number | undefined>,
  onSignal: (name: SignalName) => void = () => {},
): Promise<number> {
  const controller = new AbortController()
  let code: number | undefined
  const listen = (name: SignalName) => () => {
    if (code !== undefined) return name === 'SIGHUP' ? undefined : process.exit(exitCodes[name])
    code = exitCodes[name]
    onSignal(name)
    controller.abort(new Error(name))
  }
  const listeners = { SIGHUP: listen('SIGHUP'), SIGINT: listen('SIGINT'), SIGTERM: listen('SIGTERM') }
  for (const name of Object.keys(listeners) as SignalName[]) process.on(name, listeners[name])
  try {
    const ended = await work({ signal: controller.signal, code: () => code })
    return ended ?? code ?? 0
  } catch (error) {
    if (code === undefined || error !== controller.signal.reason) throw error
    return code
  } finally {
    for (const name of Object.keys(listeners) as SignalName[]) process.off(name, listeners[name])
  }
}
