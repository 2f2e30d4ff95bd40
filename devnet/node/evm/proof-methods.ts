import { MethodError } from '../../http/parameters.ts'
import { addressArgument, blockArgument, invalid, required } from './arguments.ts'
import { data, quantity } from './hex.ts'
import type { EvmMethods } from './method.ts'
import { acceptedNumber, type EvmReader } from './reader.ts'
import { createWorlds, type StorageKey, storageAt, storageKey } from './world.ts'

/**
 * Proofs of accounts and their storage after a block. The tries are those of the ledger's accounts. The state roots in headers do not match
 * them, because no code is executed and the roots are invented. A node refuses blocks below the window (specification 4.2).
 */
export function proofMethods({ head, state }: EvmReader, window: number): EvmMethods {
  const worldAt = createWorlds()
  return {
    eth_getProof: async (args) => {
      const address = addressArgument(args, 0)
      const keys = keysOf(required(args, 1))
      const last = head()
      const number = acceptedNumber(blockArgument(args, 2, last), last)
      refuseOld(number, last, window)
      const now = await state()
      const { trie, accounts } = worldAt(now, number)
      const storage = storageAt(now, address, number)
      const account = accounts.get(address)
      return {
        address,
        accountProof: trie.prove(Buffer.from(address.slice(2), 'hex')).map(data),
        balance: quantity(account?.balance ?? 0n),
        codeHash: data(account?.codeHash ?? new Uint8Array(32)),
        nonce: quantity(account?.nonce ?? 0n),
        storageHash: data(account === undefined ? new Uint8Array(32) : storage.trie.root),
        storageProof: keys.map(({ given, slot }) => ({
          key: given,
          value: quantity(storage.slots.get(slot) ?? 0n),
          proof: storage.trie.prove(Buffer.from(slot, 'hex')).map(data),
        })),
      }
    },
  }
}

function refuseOld(number: number, last: number, window: number): void {
  const oldest = Math.max(0, last - window)
  if (window === 0 || number >= oldest) return
  throw new MethodError(
    `block number ${number} is before the oldest allowed block number ${oldest} (window of ${window} blocks)`,
  )
}

/** The response repeats slots exactly as the request wrote them. */
function keysOf(value: unknown): StorageKey[] {
  if (!Array.isArray(value)) throw invalid(1, 'json: cannot unmarshal non-array into Go value of type []string')
  return value.map(storageKey)
}
