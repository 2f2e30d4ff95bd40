/** What messages call the records of a walk, as `Range` has it. */
export type NamedRecords = { readonly record: string; readonly byHeight?: true | undefined }

/** The number by which people know the record at a coordinate: of blocks by height that is the height. */
export function numberAt({ byHeight }: Pick<NamedRecords, 'byHeight'>, at: number): number {
  return byHeight === true ? at + 1 : at
}

/** What that number is: `index`, `height`, or of an EVM chain `block`. */
export function numberName({ record, byHeight }: NamedRecords): string {
  if (byHeight === true) return 'height'
  return record === 'container' ? 'index' : record
}

/** Such as `container 7`, or `block 8` of the same coordinate by height. */
export function nameAt(walk: NamedRecords, at: number): string {
  return `${walk.record} ${numberAt(walk, at)}`
}
