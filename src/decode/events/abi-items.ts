import { ConfigError } from '../../errors.ts'

/** An item of an ABI, and its place for errors, such as `a.json: abi[3]`. */
type PlacedItem = { readonly item: unknown; readonly path: string }

/**
 * The items of one type in an ABI as JSON text: a list of items, or the artifact of a compiler with such a list as `abi`. Throws `ConfigError`
 * unless there is one.
 */
export function abiItems(text: string, path: string, type: 'event' | 'function'): PlacedItem[] {
  const [items, within] = itemsOf(parseJson(text, path), path)
  const found = items.flatMap((item, position) =>
    (item as { type?: unknown } | null)?.type === type ? [{ item, path: `${path}: ${within}[${position}]` }] : [],
  )
  if (found.length === 0)
    throw new ConfigError(`${path}: the ABI declares no ${type}.`, {
      code: 'config.abi',
      hint: 'For a proxy, give the ABI of its implementation and the address of the proxy.',
    })
  return found
}

/** The place of a mistake within an item, such as `abi[3].inputs[0].type`. */
export function placeWithin(path: string, keys: readonly PropertyKey[]): string {
  return path + keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw noAbi(path, cause)
  }
}

/** The items of an ABI, and the name of their list. */
function itemsOf(json: unknown, path: string): [readonly unknown[], string] {
  if (Array.isArray(json)) return [json, 'abi']
  const artifact = json as { abi?: unknown; output?: { abi?: unknown } } | null
  // Hardhat, Foundry and Truffle write `abi`; the metadata of solc has it in `output`.
  if (Array.isArray(artifact?.abi)) return [artifact.abi, 'abi']
  if (Array.isArray(artifact?.output?.abi)) return [artifact.output.abi, 'output.abi']
  throw noAbi(path)
}

function noAbi(path: string, cause?: unknown): ConfigError {
  return new ConfigError(`${path}: the file is no ABI.`, {
    code: 'config.abi',
    hint: 'It must be the JSON list of an ABI, or the artifact of a compiler with such a list as "abi".',
    ...(cause === undefined ? {} : { cause }),
  })
}
