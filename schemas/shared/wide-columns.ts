import { type Column, t } from '../../src/define/index.ts'

type Wide<N extends string> = { [K in N]: Column<bigint | null> } & { [K in `${N}_raw`]: Column<string | null> }

/** What an EVM counts in 256 bits and a row may lack, such as a price: a number where it fits, and its exact text. */
export function wideColumns<const N extends string>(name: N, comment: string): Wide<N> {
  return {
    [name]: t.decimal38(`${comment} Null when over 38 digits.`, { nullable: true }),
    [`${name}_raw`]: t.text('The same as text, always exact.', { nullable: true }),
  } as unknown as Wide<N>
}
