/** A URL with its variables replaced, or the mistake in it as the end of a sentence. */
type Expanded = { readonly text: string } | { readonly mistake: string }

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Replaces `${NAME}` and `${NAME:-default}` in a URL from the environment. An empty variable counts as not set. A variable that is not
 * set and has no default is a mistake.
 */
export function expandEnvironment(text: string, env: Environment): Expanded {
  let mistake: string | undefined
  const expanded = text.replace(/\$\{([^}]*)(\}|$)/g, (whole, inside: string, end: string) => {
    const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/.exec(inside) ?? []
    if (name === undefined || end === '') {
      mistake ??= `${JSON.stringify(whole)} is not written as \${NAME} or \${NAME:-default}`
      return ''
    }
    const value = env[name] || fallback
    if (value === undefined) mistake ??= `the environment variable ${name} is not set and has no default`
    return value ?? ''
  })
  return mistake === undefined ? { text: expanded } : { mistake }
}
