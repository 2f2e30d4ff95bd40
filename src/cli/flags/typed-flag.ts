/** The value of a flag in a command line that is not parsed yet; undefined when it is missing. */
export function typedFlag(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(`--${name}`)
  return at === -1 ? argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) : argv[at + 1]
}

/** The flags of a command line that is not parsed yet that say which modules to execute. */
export function moduleFlags(argv: readonly string[]) {
  return {
    config: typedFlag(argv, 'config'),
    pipelines: typedFlag(argv, 'pipelines'),
    'no-modules': argv.includes('--no-modules'),
  }
}

/**
 * The words that a command line asks help about; null if it asks for none. `chainlake help run`, `chainlake run --help` and
 * `chainlake --help run` are the same.
 */
export function helpWords(argv: readonly string[]): readonly string[] | null {
  const end = argv.indexOf('--')
  const words = end === -1 ? argv : argv.slice(0, end)
  if (words.length === 0 && end === -1) return []
  if (words[0] === 'help') return words.slice(1)
  const isHelp = (word: string) => word === '--help' || word === '-h'
  return words.some(isHelp) ? words.filter((word) => !isHelp(word)) : null
}
