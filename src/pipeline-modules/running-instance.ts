import * as nodeModule from 'node:module'

/** Where modules find the library in the thread that loads them. */
const place = Symbol.for('chainlake.running')
const threadPlace = globalThis as { [place]?: Record<string, unknown> }

/** The hooks of a thread of Node's, for versions without `registerHooks`. It gets the URL of the library as `data`. */
const hookThread = `
  let library
  export const initialize = (data) => { library = data }
  export const resolve = (specifier, context, next) =>
    specifier === 'chainlake' ? { url: library, shortCircuit: true } : next(specifier, context)
`

/** Loads the exports of the library that modules of a thread can import. */
export type LoadLibrary = () => Promise<Record<string, unknown>>

/**
 * Lets modules that this thread loads import the running code as 'chainlake', wherever they and chainlake are: under npx, of a global
 * installation, and in worker threads. Another copy would throw errors of other classes.
 */
export async function offerLibrary(load: LoadLibrary): Promise<void> {
  if (threadPlace[place] !== undefined) return
  const library = { ...(await load()) }
  threadPlace[place] = library
  const url = dataUrl(
    `const library = globalThis[Symbol.for('chainlake.running')]\n${Object.keys(library)
      .map((name) => `export const ${name} = library.${name}`)
      .join('\n')}`,
  )
  // Node 20 has only `register`, which later versions deprecate.
  const { register, registerHooks } = nodeModule as typeof nodeModule & {
    readonly registerHooks?: (hooks: { readonly resolve: ResolveHook }) => void
  }
  if (registerHooks === undefined) register(dataUrl(hookThread), { data: url })
  else
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'chainlake' ? { url, shortCircuit: true } : next(specifier, context),
    })
}

type ResolveHook = (
  specifier: string,
  context: unknown,
  next: (specifier: string, context: unknown) => { readonly url: string },
) => { readonly url: string; readonly shortCircuit?: boolean }

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}
