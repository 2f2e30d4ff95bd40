/** The terminal that a text is shown on. */
export type Terminal = {
  /** Its width. */
  readonly columns: number
  /** A text in a weaker colour, if the terminal shows colours. */
  readonly dim: (text: string) => string
}

/** The terminal that a stream writes to; null if it writes to a file or to another program. */
export function terminalOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: NodeJS.ProcessEnv = process.env,
): Terminal | null {
  if (stream.isTTY !== true || !stream.columns) return null
  const hasColours = showsColours(stream, env)
  return { columns: stream.columns, dim: hasColours ? (text) => `\u001b[2m${text}\u001b[22m` : (text) => text }
}

/** Whether a stream shows colours, by the variables that `gh` and others know: to force them counts more than to forbid them. */
export function showsColours({ isTTY }: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
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
