import { keccak256 } from '../../../codec/keccak.ts'
import { tokenNamed } from '../../c/contracts.ts'
import { encodeRlp } from '../../c/rlp.ts'
import { MethodError } from '../../http/parameters.ts'
import { zeroAddress } from '../../service/evm/contracts/contract.ts'
import type { EvmState } from '../../service/evm/state.ts'
import { balanceSlot, supplySlot } from '../../service/evm/token-storage.ts'
import { balancesOf, tokenAt } from '../../service/evm/token-views.ts'
import { createTrie, type Trie } from './trie.ts'

type Account = { readonly nonce: bigint; readonly balance: bigint; readonly codeHash: Uint8Array }

/** Every account after a block, and their trie. */
type World = { readonly accounts: ReadonlyMap<string, Account>; readonly trie: Trie }

/** Returns the accounts after a block. The accounts of the last requested block are cached. */
export function createWorlds(): (state: EvmState, blockNumber: number) => World {
  let last: { readonly blockNumber: number; readonly world: World } | null = null
  return (state, blockNumber) => {
    if (last?.blockNumber !== blockNumber) last = { blockNumber, world: worldAt(state, blockNumber) }
    return last.world
  }
}

function worldAt(state: EvmState, blockNumber: number): World {
  const accounts = new Map<string, Account>()
  for (const name of state.addresses()) {
    const nonce = state.nonce(name, blockNumber)
    const balance = state.nativeBalance(name, blockNumber)
    if (nonce === 0n && balance === 0n) continue
    accounts.set(name, { nonce, balance, codeHash: keccak256(state.code(name, blockNumber)) })
  }
  const entries = [...accounts].map(([name, { nonce, balance, codeHash }]): [Uint8Array, Uint8Array] => {
    const { root } = storageAt(state, name, blockNumber).trie
    // The last field says whether an account ever had assets other than the native one.
    return [Buffer.from(name.slice(2), 'hex'), encodeRlp([nonce, balance, root, codeHash, 0])]
  })
  return { accounts, trie: createTrie(entries) }
}

type Storage = {
  /** Values by slot. A slot is 64 hex digits. */
  readonly slots: ReadonlyMap<string, bigint>
  readonly trie: Trie
}

/** The storage of an address after a block. An ERC-20 contract stores its balances and its supply, other addresses store nothing. */
export function storageAt(state: EvmState, address: string, blockNumber: number): Storage {
  const slots = new Map<string, bigint>()
  const token = tokenNamed(address)
  if (token?.standard === 'ERC-20') {
    for (const [owner, balance] of balancesOf(tokenAt(state, token, blockNumber))) {
      if (owner === zeroAddress && balance < 0n) slots.set(supplySlot, -balance)
      else if (balance > 0n) slots.set(balanceSlot(owner), balance)
    }
  }
  const entries = [...slots].map(([slot, value]): [Uint8Array, Uint8Array] => {
    return [Buffer.from(slot, 'hex'), encodeRlp(value)]
  })
  return { slots, trie: createTrie(entries) }
}

/** A slot as a request wrote it, and as 64 hex digits. */
export type StorageKey = { readonly given: string; readonly slot: string }

/** Slots are numbers of up to 32 bytes. */
export function storageKey(given: unknown): StorageKey {
  if (typeof given !== 'string' || !/^0x[0-9a-f]{0,64}$/i.test(given))
    throw new MethodError(`unable to decode storage key: ${JSON.stringify(given)}`, -32602)
  return { given, slot: given.slice(2).toLowerCase().padStart(64, '0') }
}
