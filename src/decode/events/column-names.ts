/** `amount0In` → `amount0_in`, `tokenURI` → `token_uri`, `_from` → `from`; empty when no letter or digit is left. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
}

/**
 * Names for parameters or components, in their order. A parameter without a name is `arg0`, `arg1`, … by its position; so is one that
 * begins with a digit. `_arg` is appended while a name is taken, by `taken` or by a parameter before it. `withRaw` also take `<name>_raw`.
 */
export function columnNames(
  parameters: readonly { readonly name: string; readonly withRaw: boolean }[],
  taken: readonly string[],
): string[] {
  const all = new Set(taken)
  return parameters.map(({ name: given, withRaw }, position) => {
    const snake = snakeCase(given)
    let name = /^[a-z]/.test(snake) ? snake : `arg${position}`
    const own = (): string[] => (withRaw ? [name, `${name}_raw`] : [name])
    while (own().some((each) => all.has(each))) name += '_arg'
    for (const each of own()) all.add(each)
    return name
  })
}
