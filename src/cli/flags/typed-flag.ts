/** The value of a flag in a command line that is not parsed yet; undefined when it is missing. */
export function typedFlag(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(`--${name}`)
  return at === -1 ? argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) : argv[at + 1]
}
