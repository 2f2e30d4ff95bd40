/** The terminal that a text is shown on. */
export type Terminal = {
  /** Its width. */
  readonly columns: number
  /** A text in a weaker colour, unless NO_COLOR is set. */
  readonly dim: (text: string) => string
}

/** The terminal that a stream writes to; null if it writes to a file or to another program. */
export function terminalOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: NodeJS.ProcessEnv = process.env,
): Terminal | null {
  if (stream.isTTY !== true || !stream.columns) return null
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  return { columns: stream.columns, dim: isPlain ? (text) => text : (text) => `\u001b[2m${text}\u001b[22m` }
}
