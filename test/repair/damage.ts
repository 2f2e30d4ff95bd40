import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from '../fetch/seeded.ts'

/** Kinds of damage to a file. */
export const damages = ['gone', 'cut', 'byte', 'footer', 'swapped'] as const
export type Damage = (typeof damages)[number]

/** Parquet files of a lake, sorted by path; of all tables or of those that `isOf` accepts. */
export function dataFiles(lake: string, isOf: (table: string) => boolean = () => true): string[] {
  return readdirSync(join(lake, 'data'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.parquet') && isOf(tableOf(path)))
    .sort()
}

/** The table of a path below `data/`. */
export function tableOf(path: string): string {
  return path.split('/').find((part) => part !== 'main') ?? ''
}

/** Damages a file below `data/`; `swapped` replaces it with the bytes of `other`. */
export function damage(
  lake: string,
  path: string,
  kind: Damage,
  { random, other }: { random: () => number; other: string },
) {
  const file = join(lake, 'data', path)
  const bytes = readFileSync(file)
  switch (kind) {
    case 'gone':
      return rmSync(file)
    case 'cut':
      return truncateSync(file, Math.floor(random() * bytes.length))
    case 'byte': {
      const at = Math.floor(random() * bytes.length)
      bytes[at] = bytes[at]! ^ (1 << Math.floor(random() * 8))
      return writeFileSync(file, bytes)
    }
    case 'footer':
      return writeFileSync(file, bytes.fill(0xff, bytes.length - 12))
    case 'swapped':
      return copyFileSync(join(lake, 'data', other), file)
  }
}

/** Damages `count` files that follow from the seed; returns their paths and the kinds of damage. */
export function damageSome(
  lake: string,
  { seed, count, isOf }: { seed: number; count: number; isOf?: (table: string) => boolean },
): [path: string, kind: Damage][] {
  const random = seeded(seed)
  const left = dataFiles(lake, isOf)
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [path] = left.splice(Math.floor(random() * left.length), 1)
    const kind = damages[Math.floor(random() * damages.length)]!
    const others = left.filter((other) => tableOf(other) === tableOf(path!))
    const other = others[Math.floor(random() * others.length)]
    const done = kind === 'swapped' && other === undefined ? 'gone' : kind
    damage(lake, path!, done, { random, other: other ?? '' })
    return [path!, done]
  })
}
