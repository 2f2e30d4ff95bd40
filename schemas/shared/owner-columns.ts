import { below, type Column, t } from '../../src/define/index.ts'

const nullable = { nullable: true } as const

type OwnerColumns<P extends string> = {
  [K in `${P}_threshold`]: Column<number | bigint | null>
} & { [K in `${P}_locktime`]: Column<bigint | null> } & { [K in `${P}_addresses`]: Column<string[] | null> }

export function ownerNames<const P extends string>(prefix: P) {
  return [`${prefix}_threshold`, `${prefix}_locktime`, `${prefix}_addresses`] as const
}

/**
 * The three columns of an owner: threshold, locktime as Unix time in seconds, bech32 addresses without chain prefix. `path` is that of the
 * owner in an item of an answer; with `?` an owner always has a threshold and addresses.
 */
export function ownerColumns<const P extends string>(prefix: P, owner: string, path = ''): OwnerColumns<P> {
  const columns = {
    [`${prefix}_threshold`]: t
      .int64(`Threshold of ${owner}: number of signatures needed; null without one.`, nullable)
      .at('threshold', 'u32'),
    [`${prefix}_locktime`]: t
      .u64(`Locktime of ${owner}, Unix time in seconds; null without one.`, nullable)
      .at(path.endsWith('?') ? 'locktime?' : 'locktime'),
    [`${prefix}_addresses`]: t
      .list(t.address('Address.'), `Addresses of ${owner}, bech32 without chain prefix.`, nullable)
      .at('addresses', 'owner'),
  }
  return below(path, columns) as unknown as OwnerColumns<P>
}
