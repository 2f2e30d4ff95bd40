import { inTransaction, type Session } from '../session/session.ts'

/** A final block of an EVM chain of the lake. */
export type ChainAnchor = {
  readonly network: string
  /** In decimal digits, as in the column `chain_id`. */
  readonly chainId: string
  readonly number: number
  /** `0x` and lower-case hex. */
  readonly hash: string
}

export async function readAnchors(session: Session): Promise<ChainAnchor[]> {
  const rows = await session.rows('SELECT * FROM chainlake.chain_anchor ORDER BY network, chain_id, block_number')
  return rows.map((row) => ({
    network: row['network'],
    chainId: row['chain_id'],
    number: row['block_number'],
    hash: row['block_hash'],
  }))
}

/**
 * Adds blocks of chains. `basis` is what the caller has read and compared with these blocks: if another run has recorded blocks of the same
 * chain ids since, this writes nothing and returns false.
 */
export async function recordAnchors(
  session: Session,
  basis: readonly ChainAnchor[],
  added: readonly ChainAnchor[],
): Promise<boolean> {
  return inTransaction(session, async () => {
    const stored = await readAnchors(session)
    const ids = new Set(added.map(({ chainId }) => chainId))
    const compared = (anchors: readonly ChainAnchor[]) =>
      JSON.stringify(anchors.filter(({ chainId }) => ids.has(chainId)).map(rowOf))
    if (compared(stored) !== compared(basis)) return false
    const chains = new Map(
      added.map(({ network, chainId }) => [JSON.stringify([network, chainId]), { network, chainId }]),
    )
    for (const chain of chains.values()) {
      const isOwn = ({ network, chainId }: ChainAnchor) => network === chain.network && chainId === chain.chainId
      const own = stored.filter(isOwn)
      const kept = keptOf([...own, ...added.filter(isOwn)])
      if (JSON.stringify(kept.map(rowOf)) === JSON.stringify(own.map(rowOf))) continue
      await removeAnchors(session, chain)
      await session.append('chainlake', 'chain_anchor', kept.map(rowOf))
    }
    return true
  })
}

/** Removes the blocks of a chain: the next run may read another chain under its name. */
export async function removeAnchors(
  session: Session,
  { network, chainId }: Pick<ChainAnchor, 'network' | 'chainId'>,
): Promise<void> {
  await session.run('DELETE FROM chainlake.chain_anchor WHERE network = $1 AND chain_id = $2', [network, chainId])
}

/** The two lowest blocks and the highest one. A node that lags behind has at least one of the lowest. */
function keptOf(anchors: readonly ChainAnchor[]): ChainAnchor[] {
  const byNumber = new Map([...anchors].reverse().map((anchor) => [anchor.number, anchor]))
  const sorted = [...byNumber.values()].sort((a, b) => a.number - b.number)
  return [...sorted.slice(0, 2), ...sorted.slice(2).slice(-1)]
}

function rowOf({ network, chainId, number, hash }: ChainAnchor): [string, string, number, string] {
  return [network, chainId, number, hash]
}
