import { type L1Message, l1Message, warpMessage, warpPayload } from '../../../codec/warp.ts'
import { encodeNow } from '../../network/encode.ts'
import { networkId } from '../../network/genesis.ts'
import type { Subnet } from '../registry.ts'
import type { PState } from '../state.ts'

/** The bytes of a message that the manager of an L1 sends about its validators. */
export function l1MessageBytes(message: L1Message): Uint8Array {
  return encodeNow(l1Message, message)
}

/** A signed warp message of the L1's manager. The signature only has the right length. */
export function signedByManager(state: PState, subnet: Subnet, payload: Uint8Array): Uint8Array {
  const manager = subnet.manager
  if (manager === null) throw new RangeError('a subnet without a manager sends no messages')
  const call = encodeNow(warpPayload, { type: 'warp.AddressedCall', sourceAddress: manager.address, payload })
  return encodeNow(warpMessage, {
    networkID: networkId,
    sourceChainID: manager.chainId,
    payload: call,
    signature: { type: 'warp.BitSetSignature', signers: Uint8Array.of(0x1f), signature: state.network.noise(96) },
  })
}
