import { DefinitionError } from '../errors.ts'
import type { ChainContext, Container } from '../model.ts'
import type { RowOf, Table } from './table.ts'
import type { Source, Walk } from './walk.ts'

export type Tables = { readonly [name: string]: Table }
export type RowsOf<T extends Tables> = { [K in keyof T]: RowOf<T[K]>[] }

export type BlockLink = { readonly id: string; readonly parentId: string }

/** Pure: a container's rows, by table. Throws `DecodeError`, never skips. */
export type Decode<T extends Tables = any> = (container: Container, context: ChainContext) => RowsOf<T>

/** Tables that one function fills together. */
export type PipelinePart<T extends Tables = any> = { readonly tables: T; readonly decode: Decode<T> }

/** A part whose decoding costs so much that threads do it; what it needs is loaded there only. */
export type ThreadedPart<T extends Tables = any> = { readonly tables: T; readonly loadDecode: () => Promise<Decode<T>> }

/** A part that is written only when its option is given. */
export type OptionalPart<T extends Tables = any> = (PipelinePart<T> | ThreadedPart<T>) & { readonly comment: string }

export type Pipeline<T extends Tables = any> = PipelinePart<T> & {
  readonly kind: 'containers'
  readonly name: string
  readonly comment: string
  readonly source: Source
  readonly walk: Walk
  /** The CB58 id of the container that this one names as its parent; null where there is no single one. */
  readonly parentOf: (bytes: Uint8Array) => string | null
  /**
   * What joins the blocks inside of consecutive containers: their own id and the one that they name as parent's; null where
   * containers hold no block.
   */
  readonly linkOf: ((rows: RowsOf<T>) => BlockLink) | null
  /** By the name of the option that asks for it, such as `raw` for `--raw`. */
  readonly options: { readonly [option: string]: OptionalPart }
}

type PipelineDeclaration<T extends Tables> = Omit<Pipeline<T>, 'kind' | 'options'> & { options?: Pipeline['options'] }

/** Declares where the rows of tables come from. */
export function pipeline<T extends Tables>(declaration: PipelineDeclaration<T>): Pipeline<T> {
  const { name, comment } = declaration
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new DefinitionError(`Pipeline name ${JSON.stringify(name)} is not kebab-case.`)
  if (comment.trim() === '') throw new DefinitionError(`Pipeline ${name} needs a comment.`)
  return { kind: 'containers', options: {}, ...declaration }
}

/** Ties a decoder's rows to the tables it fills. */
export function optionalPart<T extends Tables>(part: OptionalPart<T>): OptionalPart<T> {
  return part
}
