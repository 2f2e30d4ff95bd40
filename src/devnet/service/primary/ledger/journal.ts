import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { Book } from './book.ts'
import type {
  CTransaction,
  LedgerTx,
  ProposedBlock,
  PTransaction,
  Reward,
  Stake,
  Vertex,
  XTransaction,
} from './model.ts'
import type { Tally } from './tally.ts'
import type { L1Validator, PermissionedValidator } from './validators.ts'

/** What the followers of the chains write; lists are in chain order and only grow. */
export type Journal = {
  readonly book: Book
  readonly p: PTransaction[]
  readonly x: XTransaction[]
  readonly c: CTransaction[]
  readonly rewards: Reward[]
  readonly vertices: Vertex[]
  readonly proposed: ProposedBlock[]
  /** Transactions of the P chain that touch a validator of an L1, by its validation id. */
  readonly byValidation: Map<string, PTransaction[]>
  /** Every stake there ever was, by its transaction. */
  readonly stakings: Map<string, Stake>
  /** Stakes that run, in the order of their transactions. */
  readonly stakes: Set<Stake>
  /** By validation id. */
  readonly l1Validators: Map<string, L1Validator>
  /** By subnet and node; those that have come to their end may be among them. */
  readonly permissioned: Map<string, PermissionedValidator>
  /** The supply of the staked asset, by subnet. */
  readonly supplies: Map<string, bigint>
  /** The time of the chains with locked coins, in Unix seconds. */
  readonly times: Record<'P' | 'X', number>
  /** Counts of rows of the containers, by table. */
  readonly tally: Tally
}

export function transactionsOn({ p, x, c }: Pick<Journal, 'p' | 'x' | 'c'>, chain: ChainAlias): readonly LedgerTx[] {
  return { P: p, X: x, C: c }[chain]
}
