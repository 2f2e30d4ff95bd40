import { type Column, t } from '../../src/define/index.ts'

type Wide<N extends string> = { [K in N]: Column<bigint | null> } & { [K in `${N}_raw`]: Column<string | null> }

/** A nullable 256-bit value of the EVM, such as a price: a number where it fits, and its exact text. `path`: where an answer has it. */
export function wideColumns<const N extends string>(name: N, comment: string, path?: string): Wide<N> {
  const number = t.decimal38(`${comment} Null when it has more than 38 digits.`, { nullable: true })
  return {
    [name]: path === undefined ? number : number.at(path, 'digits'),
    [`${name}_raw`]: t.text(`${comment} As text with all digits.`, { nullable: true }),
  } as unknown as Wide<N>
}
