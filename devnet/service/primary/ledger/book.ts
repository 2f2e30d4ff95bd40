import type { Wrapper } from '../../../../codec/containers.ts'
import { ripemd160, sha256 } from '../../../../codec/hash.ts'
import { addressText, decodeCb58, idText, nodeIdText, utxoId } from '../../../../codec/ids.ts'
import type { ReadContainer } from '../../../index/follow.ts'
import { chainTexts, hrp, nativeAssetText } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/state.ts'
import type {
  Asset,
  CTransaction,
  L1Validator,
  LedgerTx,
  PermissionedValidator,
  ProposedBlock,
  PTransaction,
  Reward,
  Stake,
  Utxo,
  UtxoOwner,
  Vertex,
  XTransaction,
} from './model.ts'
import type { Tally } from './tally.ts'

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

/** Adds the containers of a chain to the ledger, in order. */
export type Follower = { add(container: ReadContainer): void }

export function transactionsOn({ p, x, c }: Pick<Journal, 'p' | 'x' | 'c'>, chain: ChainAlias): readonly LedgerTx[] {
  return { P: p, X: x, C: c }[chain]
}

/** An input of a transaction; `amount` is null if the input states none. */
export type Spent = {
  /** The transaction of the consumed output; `index` is the index of the output. */
  readonly txId: string
  readonly index: number
  readonly asset: string
  readonly amount: bigint | null
  readonly signatures: readonly string[]
}

/** What a UTXO is by default: a coin that stays on its chain. */
const plain = {
  kind: 'transfer',
  groupId: null,
  payload: null,
  stakeableLocktime: null,
  rewardType: null,
  stake: null,
} as const

type Draft = Omit<Utxo, 'id' | 'consumption' | 'livesOn' | keyof typeof plain> &
  Partial<Pick<Utxo, 'livesOn' | keyof typeof plain>>

/** The UTXOs of all chains and the transactions that consumed them. */
export type Book = {
  readonly ownerOf: OwnerTexts
  readonly assets: Map<string, Asset>
  /** All UTXOs in the order of their emission. */
  readonly utxos: readonly Utxo[]
  /** The output of a transaction with this index; null if there is none. */
  find(txId: string, index: number): Utxo | null
  emit(draft: Draft): Utxo
  /** Records inputs. `link` links them once every chain has emitted its outputs. */
  spend(tx: LedgerTx, on: ChainAlias, inputs: readonly Spent[]): void
  /** Links the recorded inputs with the UTXOs that they consume. Throws `RangeError` for contradictions. */
  link(): void
}

/** Creates a book that calls `linked` with every UTXO that a transaction consumes. */
export function createBook(genesisTime: number, linked: (utxo: Utxo, tx: LedgerTx) => void): Book {
  /** The UTXOs of each transaction by index. */
  const byTx = new Map<string, Utxo[]>()
  const utxos: Utxo[] = []
  const bytesOf = createIdBytes()
  let noted: { tx: LedgerTx; on: ChainAlias; inputs: readonly Spent[] }[] = []
  const consume = (tx: LedgerTx, on: ChainAlias, spent: Spent): void => {
    const utxo = byTx.get(spent.txId)?.[spent.index]
    const wrong = utxo === undefined ? 'which is not there' : mistakeOf(utxo, on, spent)
    if (utxo === undefined || wrong !== null)
      throw new RangeError(`${tx.type} ${tx.txId} consumes ${spent.txId}:${spent.index}, ${wrong}`)
    utxo.consumption = { tx, signatures: spent.signatures }
    tx.consumed.push(utxo)
    linked(utxo, tx)
  }
  return {
    ownerOf: createOwnerTexts(),
    assets: new Map([[nativeAssetText, nativeAsset(genesisTime)]]),
    utxos,
    find: (txId, index) => byTx.get(txId)?.[index] ?? null,
    emit: (draft) => {
      const id = idText(utxoId(bytesOf(draft.txId), draft.index))
      const utxo: Utxo = { id, ...plain, livesOn: draft.createdOn, ...draft, consumption: null }
      const siblings = byTx.get(draft.txId) ?? []
      if (siblings[draft.index] !== undefined) throw new RangeError(`${draft.txId}:${draft.index} is emitted twice`)
      siblings[draft.index] = utxo
      byTx.set(draft.txId, siblings)
      utxos.push(utxo)
      return utxo
    },
    spend: (tx, on, inputs) => {
      if (inputs.length > 0) noted.push({ tx, on, inputs })
    },
    link: () => {
      const linking = noted
      noted = []
      for (const { tx, on, inputs } of linking) for (const input of inputs) consume(tx, on, input)
    },
  }
}

/** Decodes ids. The last one is remembered, because the outputs of a transaction follow each other. */
function createIdBytes(): (id: string) => Uint8Array {
  let [last, bytes] = ['', new Uint8Array()]
  return (id) => {
    if (id !== last) [last, bytes] = [id, new Uint8Array(decodeCb58(id))]
    return bytes
  }
}

/** Why an input cannot consume this UTXO; null if it can. */
function mistakeOf(utxo: Utxo, on: ChainAlias, { asset, amount }: Spent): string | null {
  if (utxo.consumption !== null) return `which ${utxo.consumption.tx.txId} has consumed`
  if (utxo.livesOn !== on) return `which is on ${utxo.livesOn} and not on ${on}`
  if (utxo.stake !== null && utxo.stake.ended === null) return 'which is staked'
  if (utxo.asset === asset && (amount === null || utxo.amount === amount)) return null
  return `which holds ${utxo.amount} of ${utxo.asset} and not ${amount} of ${asset}`
}

function nativeAsset(createdAt: number): Asset {
  const names = { name: 'Avalanche', symbol: 'AVAX', denomination: 9 }
  return { id: nativeAssetText, ...names, type: 'secp256k1', cap: 'fixed', createdAt }
}

/** The UTXOs and transactions of an address, by chain. Lists are unordered. */
export type AddressIndex = {
  addUtxo(utxo: Utxo): void
  /** Records that a transaction involves some addresses. A repeated call has no effect. */
  addTx(tx: LedgerTx, addresses: readonly string[]): void
  /** UTXOs that were created on a chain or can be spent there. */
  utxos(chain: ChainAlias, addresses: readonly string[]): ReadonlySet<Utxo>
  txs(chain: ChainAlias, addresses: readonly string[]): ReadonlySet<LedgerTx>
  /** Every address with a UTXO or a transaction on a chain, in order of first appearance. */
  addresses(chain: ChainAlias): readonly string[]
}

type Known = { readonly utxos: Utxo[]; readonly txs: Set<LedgerTx> }

export function createAddressIndex(): AddressIndex {
  const known = { P: new Map<string, Known>(), X: new Map<string, Known>(), C: new Map<string, Known>() }
  const of = (chain: ChainAlias, address: string): Known => {
    const found = known[chain].get(address) ?? { utxos: [], txs: new Set() }
    known[chain].set(address, found)
    return found
  }
  const all = <T>(chain: ChainAlias, addresses: readonly string[], items: (known: Known) => Iterable<T>): Set<T> =>
    new Set(addresses.flatMap((address) => [...(known[chain].has(address) ? items(of(chain, address)) : [])]))
  return {
    addUtxo: (utxo) => {
      const { createdOn, livesOn, owner } = utxo
      for (const address of owner.addresses) {
        of(createdOn, address).utxos.push(utxo)
        if (livesOn !== createdOn) of(livesOn, address).utxos.push(utxo)
      }
    },
    addTx: (tx, addresses) => {
      for (const address of addresses) of(tx.chain, address).txs.add(tx)
    },
    utxos: (chain, addresses) => all(chain, addresses, ({ utxos }) => utxos),
    txs: (chain, addresses) => all(chain, addresses, ({ txs }) => txs),
    addresses: (chain) => [...known[chain].keys()],
  }
}

/** Signatures in the service's format: base64 without padding. */
export function signatureText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64').replace(/=+$/, '')
}

const aliases: ReadonlyMap<string, ChainAlias> = new Map(
  Object.entries(chainTexts).map(([alias, id]) => [id, alias as ChainAlias]),
)

/** The chain of the primary network with this id. Throws `RangeError` for an unknown id. */
export function aliasOf(chainId: Uint8Array): ChainAlias {
  const alias = aliases.get(idText(chainId))
  if (alias === undefined) throw new RangeError(`${idText(chainId)} is no chain of the primary network`)
  return alias
}

type OwnerFields = {
  readonly threshold: number
  readonly locktime?: bigint
  readonly addresses: readonly Uint8Array[]
}

/** Converts owners. There are few owners without a locktime, so each of them is a shared object. */
export type OwnerTexts = (owner: OwnerFields) => UtxoOwner

function createOwnerTexts(): OwnerTexts {
  const known = new Map<string, UtxoOwner>()
  return ({ threshold, locktime = 0n, addresses }) => {
    const owner = { threshold, locktime, addresses: addresses.map((address) => addressText(hrp, address)) }
    if (locktime !== 0n) return owner
    const key = `${threshold} ${owner.addresses}`
    const shared = known.get(key) ?? owner
    known.set(key, shared)
    return shared
  }
}

/** The proposer of a block: its node id is a hash of the wrapper's certificate. Null if the wrapper is not signed. */
export function proposerOf({ id }: ReadContainer, wrapper: Wrapper): ProposedBlock['proposer'] | null {
  if (wrapper.type === 'none' || wrapper.type === 'option' || wrapper.certificate.length === 0) return null
  return {
    nodeId: nodeIdText(ripemd160(sha256(wrapper.certificate))),
    containerId: id,
    parentContainerId: idText(wrapper.parentId),
    pHeight: Number(wrapper.pHeight),
    time: Number(wrapper.time),
  }
}

type Addresses = { readonly addresses: AddressIndex }

/** UTXOs that an address can spend on a chain: created there, not exported and not staked; newest first. */
export function unspentOf({ addresses }: Addresses, chain: ChainAlias, address: string): Utxo[] {
  return [...addresses.utxos(chain, [address])].filter((utxo) => isUnspent(utxo, chain, chain)).reverse()
}

/** UTXOs that one chain has exported to another for an address and that have not been imported yet; newest first. */
export function exportedTo({ addresses }: Addresses, from: ChainAlias, to: ChainAlias, address: string): Utxo[] {
  return [...addresses.utxos(to, [address])].filter((utxo) => isUnspent(utxo, from, to)).reverse()
}

/** Whether a UTXO that was created on the chain `from` can be spent on the chain `on`, which may be the same. */
export function isUnspent(utxo: Utxo, from: ChainAlias, on: ChainAlias): boolean {
  const { createdOn, livesOn, consumption, stake } = utxo
  return createdOn === from && livesOn === on && consumption === null && (stake === null || stake.ended !== null)
}
