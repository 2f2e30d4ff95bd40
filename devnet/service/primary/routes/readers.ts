import { addressBytes, addressText } from '../../../../codec/ids.ts'
import { hrp } from '../../../network/genesis.ts'
import { evmAddress, type Reader } from '../../plumbing/index.ts'

/** Maximum number of addresses in a GET request (real-service.md, Data API: address limit). */
export const mostAddresses = 64
/** Maximum number of addresses in the body of a POST request. */
export const mostPostedAddresses = 1_024

/** A bech32 address of the network, with or without `P-`, `X-` or `C-`. Returns the address without the prefix. */
export const primaryAddress: Reader<string> = {
  read: (given) => {
    const bare = given.replace(/^[PXC]-/, '')
    if (!bare.startsWith(`${hrp}1`)) return null
    try {
      return addressText(hrp, addressBytes(bare))
    } catch {
      return null
    }
  },
  says: `must be an address that starts with ${hrp}1, P-${hrp}1 or X-${hrp}1`,
}

/** The same, or a 0x address. */
export const anyAddress: Reader<string> = {
  read: (given) => (given.startsWith('0x') ? evmAddress.read(given) : primaryAddress.read(given)),
  says: `${primaryAddress.says}, or a 0x address`,
}
