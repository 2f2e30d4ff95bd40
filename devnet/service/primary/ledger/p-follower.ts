import { unwrap } from '../../../../codec/containers.ts'
import { sha256 } from '../../../../codec/hash.ts'
import { idText, txIdInBlock } from '../../../../codec/ids.ts'
import { decodeWithSpans } from '../../../../codec/linear.ts'
import { type PBlockValue, type PTx, pBlock } from '../../../../codec/p.ts'
import { chainTexts } from '../../../network/genesis.ts'
import type { ReadContainer } from './containers.ts'
import type { Journal } from './journal.ts'
import type { Place } from './model.ts'
import { createAcceptance, type Decoded } from './p-acceptance.ts'
import { tallyPBlock } from './p-tally.ts'
import { proposerOf } from './proposers.ts'

/** Adds the containers of a chain to the ledger, in order. */
export type Follower = { add(container: ReadContainer): void }

/** Follows the P-Chain. `genesisSupply` is the supply of the native asset (nAVAX) before the first reward. */
export function createPFollower(journal: Journal, genesisSupply: bigint): Follower {
  journal.supplies.set(chainTexts.P, genesisSupply)
  const acceptance = createAcceptance(journal)
  let proposal: Decoded | null = null
  const decide = (commit: boolean): void => {
    if (proposal === null) throw new RangeError('an option without a proposal')
    const { unsignedTx } = proposal.tx
    if (commit && unsignedTx.type === 'AdvanceTimeTx') journal.times.P = Number(unsignedTx.time)
    acceptance.decide(proposal, commit)
    proposal = null
  }
  const decideBy = ({ type }: PBlockValue): void => {
    if (type.endsWith('CommitBlock')) decide(true)
    else if (type.endsWith('AbortBlock')) decide(false)
  }
  return {
    add: (container) => {
      const wrapper = unwrap(container.bytes)
      const { value: block, spans } = decodeWithSpans(pBlock, wrapper.block, `P ${container.index}`)
      const blockId = idText(sha256(wrapper.block))
      // Before Banff, transactions advance the time of the chain.
      if ('time' in block) journal.times.P = Number(block.time)
      const place: Place = { height: Number(block.height), blockId, time: journal.times.P }
      const decoded = transactionsOf(block).map((tx, position): Decoded => {
        const txId = txIdInBlock(wrapper.block.subarray(spans[2 * position]!, spans[2 * position + 1]!))
        return { tx, txId, txText: idText(txId), place }
      })
      tallyPBlock(journal.tally, decoded)
      const proposed = 'tx' in block && block.type !== 'ApricotAtomicBlock' ? decoded.pop()! : null
      for (const each of decoded) acceptance.accept(each)
      decideBy(block)
      proposal = proposed ?? proposal
      const proposer = proposerOf(container, wrapper)
      if (proposer === null) return
      const ids = proposed === null ? decoded : [...decoded, proposed]
      journal.proposed.push({
        chain: 'P',
        place,
        parentId: idText(block.parentID),
        type: block.type,
        txIds: ids.map(({ txText }) => txText),
        bytes: wrapper.block.length,
        state: { ...acceptance.state(), supply: journal.supplies.get(chainTexts.P)! },
        proposer,
      })
    },
  }
}

/** Transactions in byte order; the proposed one is last. */
function transactionsOf(block: PBlockValue): readonly PTx[] {
  const txs = 'txs' in block ? block.txs : []
  return 'tx' in block ? [...txs, block.tx] : txs
}
