import type { Finding } from '../lake/finding.ts'
import type { Certificate, StreamCertificate } from './certificate.ts'

/** Compares a lake with a certificate: chains by range and ids, tables by their rows. */
export function compareCertificates(own: Certificate, other: Certificate): Finding[] {
  return [
    ...paired(own.streams, other.streams, ({ stream, table }) => `${stream} ${table}`).flatMap(([mine, theirs]) =>
      streamFindings(mine, theirs),
    ),
    ...paired(own.tables, other.tables, ({ network, table }) => `${network} ${table}`).flatMap(
      ([mine, theirs]): Finding[] => {
        const [a, b] = [mine[0], theirs[0]]
        if (a?.rows === b?.rows && a?.sha256 === b?.sha256) return []
        const { network, table } = (a ?? b)!
        return [
          {
            kind: 'certificate.different',
            message:
              b === undefined || a === undefined
                ? `Only one of the two lakes has rows of ${table}.`
                : `Rows of ${table} differ from the certificate.`,
            network,
            table,
            expected: b === undefined ? 'no rows' : `${b.rows} rows, SHA-256 ${b.sha256}`,
            found: a === undefined ? 'no rows' : `${a.rows} rows, SHA-256 ${a.sha256}`,
          },
        ]
      },
    ),
  ]
}

/** Compares the ranges of a stream in both certificates. */
function streamFindings(own: readonly StreamCertificate[], other: readonly StreamCertificate[]): Finding[] {
  const text = ({ from, to, count, firstId, lastId, sha256 }: StreamCertificate) =>
    `${count} blocks ${from} to ${to}, ${firstId} to ${lastId}, SHA-256 ${sha256}`
  const texts = (ranges: readonly StreamCertificate[]) => ranges.map(text).join('; ') || 'no blocks'
  const [found, expected] = [texts(own), texts(other)]
  const [first] = [...own, ...other]
  if (found === expected || first === undefined) return []
  const isLonger =
    own.length === 1 && other.length === 1 && own[0]?.firstId === other[0]?.firstId && own[0]?.to !== other[0]?.to
  return [
    {
      kind: 'certificate.different',
      message: isLonger
        ? `The covered range of ${first.stream} differs from the certificate.`
        : `The blocks of ${first.stream} differ from the certificate.`,
      network: first.network,
      table: first.table,
      stream: first.stream,
      expected,
      found,
    },
  ]
}

function paired<T>(own: readonly T[], other: readonly T[], nameOf: (item: T) => string): [T[], T[]][] {
  const pairs = new Map<string, [T[], T[]]>()
  for (const [side, items] of [own, other].entries())
    for (const item of items) {
      const pair = pairs.get(nameOf(item)) ?? [[], []]
      pairs.set(nameOf(item), pair)
      pair[side]?.push(item)
    }
  return [...pairs.values()]
}
