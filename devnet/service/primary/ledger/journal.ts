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

/** The data that the followers of the chains write. Lists are in chain order and only grow. */
export type Journal = {
  readonly book: Book
  readonly p: PTransaction[]
  readonly x: XTransaction[]
  readonly c: CTransaction[]
  readonly rewards: Reward[]
  readonly vertices: Vertex[]
  readonly proposed: ProposedBlock[]
  /** P-Chain transactions that affect a validator of an L1, by its validation id. */
  readonly byValidation: Map<string, PTransaction[]>
  /** Every stake that ever existed, by its transaction. */
  readonly stakings: Map<string, Stake>
  /** Active stakes, in the order of their transactions. */
  readonly stakes: Set<Stake>
  /** By validation id. */
  readonly l1Validators: Map<string, L1Validator>
  /** By subnet and node. Validators that have already ended may be included. */
  readonly permissioned: Map<string, PermissionedValidator>
  /** Every validator that the owner of a subnet has ever added, by its transaction. */
  readonly permissions: Map<string, PermissionedValidator>
  /** The supply of the staked asset, by subnet. */
  readonly supplies: Map<string, bigint>
  /** The time of the chains with locked coins, in Unix seconds. */
  readonly times: Record<'P' | 'X', number>
  /** Row counts of the containers, by table. */
  readonly tally: Tally
}

export function transactionsOn({ p, x, c }: Pick<Journal, 'p' | 'x' | 'c'>, chain: ChainAlias): readonly LedgerTx[] {
  return { P: p, X: x, C: c }[chain]
}
