import { type Column, t } from '../../src/define/index.ts'

type OwnerColumns<P extends string> = {
  [K in `${P}_threshold`]: Column<number | bigint | null>
} & { [K in `${P}_locktime`]: Column<bigint | null> } & { [K in `${P}_addresses`]: Column<string[] | null> }

export function ownerNames<const P extends string>(prefix: P) {
  return [`${prefix}_threshold`, `${prefix}_locktime`, `${prefix}_addresses`] as const
}

/** The three columns of an owner: threshold, locktime as Unix time in seconds, bech32 addresses without chain prefix. */
export function ownerColumns<const P extends string>(prefix: P, owner: string): OwnerColumns<P> {
  return {
    [`${prefix}_threshold`]: t.int64(`Threshold of ${owner}: number of signatures needed; null without one.`, {
      nullable: true,
    }),
    [`${prefix}_locktime`]: t.u64(`Locktime of ${owner}, Unix time in seconds; null without one.`, { nullable: true }),
    [`${prefix}_addresses`]: t.list(t.address('Address.'), `Addresses of ${owner}, bech32 without chain prefix.`, {
      nullable: true,
    }),
  } as unknown as OwnerColumns<P>
}
