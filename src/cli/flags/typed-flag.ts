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
