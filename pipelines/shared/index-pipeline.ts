import { containers } from '../../schemas/containers.ts'
import { decodeRawContainer } from '../../src/decode/raw-container.ts'
import {
  type BlockLink,
  type Decode,
  type NetworkIdentity,
  type Pipeline,
  p,
  pipeline,
  type Range,
  type RangeOutput,
  type RowsOf,
  type Tables,
  theNode,
} from '../../src/define/index.ts'
import { ConfigError } from '../../src/errors.ts'
import type { Container } from '../../src/model.ts'
import { chainContext } from './chain-context.ts'
import { mustBeRange } from './service-job.ts'

/** Containers per commit. Encoders hold part of a unit: twice as many take 60 MB more and are no faster. */
export const usualUnit = 32_768

const parameters = {
  from: p.whole('First container index, inclusive; 0 when absent.'),
  to: p.whole('Last container index, exclusive; up to the last accepted one when absent.', { least: 1 }),
  unit: p.whole(`Containers per commit; ${usualUnit} when absent.`, { least: 1 }),
  chain: p.text("Blockchain id of another chain of the same kind; the pipeline's own when absent."),
  raw: p.boolean('Also write the raw containers to the table containers.'),
}

type IndexPipeline<T extends Tables> = {
  readonly name: string
  readonly comment: string
  /** `P/block`, `X/block`, `C/block`, `X/tx`, `X/vtx`: as in `/ext/index/<path>`. */
  readonly path: string
  /** Whose order the containers have: the chain's (when absent), or the node's own. */
  readonly order?: Range['order']
  /** Whether other chains that run the same virtual machine may be asked for by their blockchain id. */
  readonly instances?: boolean
  /** An index that nodes had before they had this one: a node that offers only that one is too old. */
  readonly precededBy?: string
  /** What it means when the index is empty, as a sentence. */
  readonly whenEmpty?: string
  /** The CB58 id of the container that this one names as its parent; null where there is no single one. */
  readonly parentOf: (bytes: Uint8Array) => string | null
  /** What joins the blocks inside of consecutive containers; null where containers hold no block. */
  readonly linkOf: ((rows: RowsOf<T>) => BlockLink) | null
  readonly tables: T
  readonly decode: Decode<T>
  /** Tables that are filled when a parameter of that name is true, by threads. */
  readonly more?: { readonly [parameter: string]: More }
}

type More = { readonly comment: string; readonly tables: Tables; readonly loadDecode: () => Promise<Decode> }

/** The containers of an index of a node (`index.getContainerRange`), decoded; with `raw` also as they are. */
export function indexPipeline<T extends Tables>(declaration: IndexPipeline<T>): Pipeline {
  const { name, comment, tables, more = {} } = declaration
  const each = <V>(of: (part: More) => V): Record<string, V> =>
    Object.fromEntries(Object.entries(more).map(([parameter, part]) => [parameter, of(part)]))
  return pipeline({
    name,
    comment,
    parameters: { ...parameters, ...each((part) => p.boolean(part.comment)) },
    reads: 'node',
    walks: ['range'],
    tables,
    optional: { raw: { containers }, ...each((part) => part.tables) },
    threads: each((part) => part.loadDecode),
    async streams(values, { node }) {
      mustBeRange(['from', values.from ?? 0], ['to', values.to])
      const identity = await node()
      const chain = chainOf(declaration, values.chain, identity)
      const context = chainContext(identity, chain)
      const index = indexOf(declaration)
      const path = `${chain}/${index}`
      const raw: RangeOutput<Container> = { tables: { containers }, read: decodeRawContainer(index) }
      const asked = Object.entries(more).filter(
        ([parameter]) => (values as Record<string, unknown>)[parameter] === true,
      )
      const walk: Range<Container> = {
        kind: 'range',
        record: 'container',
        what: `the node's index ${path}`,
        place: theNode,
        source: async (connection, options) => {
          const { createIndexRange } = await import('../../src/sources/index-range.ts')
          return createIndexRange(connection, { ...options, ...declaration, path })
        },
        from: values.from ?? 0,
        to: values.to ?? null,
        unit: values.unit ?? usualUnit,
        order: declaration.order ?? 'chain',
        outputs: [
          { tables, read: declaration.decode },
          ...(values.raw === true ? [raw] : []),
          ...asked.map(([thread, part]) => ({ tables: part.tables, thread })),
        ],
        context,
        linkOf: declaration.linkOf,
        notice:
          context.nativeAssetId === null && identity.nativeAssetId !== null
            ? `Nobody says in which asset chain ${chain} takes its fees: the column burned will be null.`
            : null,
      }
      const every = Object.assign({}, ...walk.outputs.map((output) => output.tables)) as Tables
      return [{ stream: { network: identity.network, path, parameters: {} }, tables: every, walk }]
    },
  })
}

function ownChain({ path }: Pick<IndexPipeline<Tables>, 'path'>): string {
  return path.slice(0, path.indexOf('/'))
}

function indexOf({ path }: Pick<IndexPipeline<Tables>, 'path'>): string {
  return path.slice(path.indexOf('/') + 1)
}

/** The chain of a job as paths and streams name it: by its alias where it has one, whichever way it was asked for. */
function chainOf(
  { name, path, instances = false }: Pick<IndexPipeline<Tables>, 'name' | 'path' | 'instances'>,
  chain: string | undefined,
  identity: NetworkIdentity,
): string {
  const own = ownChain({ path })
  if (chain === undefined) return own
  const named = identity.chains.find(({ alias, blockchainId }) => alias === chain || blockchainId === chain)?.alias
  if (named === own) return named
  if (named === undefined && instances) return chain
  throw new ConfigError(
    `Pipeline ${name} cannot read ${named === undefined ? 'other chains' : `the ${named} chain`}.`,
    {
      code: 'config.chain',
      details: { chain },
      hint: instances
        ? `Leave --chain out for the ${own} chain, or give the id of a chain that runs the same virtual machine.`
        : 'Leave --chain out.',
    },
  )
}
