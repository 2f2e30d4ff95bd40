import { type Column, t } from '../../src/define/index.ts'

type OwnerColumns<P extends string> = {
  [K in `${P}_threshold`]: Column<number | bigint | null>
} & { [K in `${P}_locktime`]: Column<bigint | null> } & { [K in `${P}_addresses`]: Column<string[] | null> }

/** The three columns of an owner: threshold, locktime in Unix seconds, bech32 addresses without chain prefix. */
export function ownerColumns<const P extends string>(prefix: P, whose: string): OwnerColumns<P> {
  return {
    [`${prefix}_threshold`]: t.int64(`Signatures needed of ${whose}; null without one.`, { nullable: true }),
    [`${prefix}_locktime`]: t.u64(`Locktime of ${whose} in Unix seconds; null where it has none.`, { nullable: true }),
    [`${prefix}_addresses`]: t.list(t.address('Address.'), `Addresses of ${whose}, without chain prefix.`, {
      nullable: true,
    }),
  } as unknown as OwnerColumns<P>
}
