/** The name of the records of a walk in messages, as declared by `Range`. */
export type NamedRecords = { readonly record: string; readonly byHeight?: true | undefined }

/** The public number of the record at a coordinate. For blocks by height it is the height. */
export function numberAt({ byHeight }: Pick<NamedRecords, 'byHeight'>, at: number): number {
  return byHeight === true ? at + 1 : at
}

/** The name of that number: `index`, `height`, or `block` for an EVM chain. */
export function numberName({ record, byHeight }: NamedRecords): string {
  if (byHeight === true) return 'height'
  return record === 'container' ? 'index' : record
}

/** For example `container 7`, or `block 8` for the same coordinate by height. */
export function nameAt(walk: NamedRecords, at: number): string {
  return `${walk.record} ${numberAt(walk, at)}`
}
