import { zeroIdText } from '../../network/genesis.ts'
import type { Utxo } from '../../service/primary/ledger/model.ts'
import type { LocalAddress } from './addresses.ts'

/** Where a page ends and the next one begins: an address and one of its UTXOs. */
export type PageIndex = { readonly address: LocalAddress; readonly utxo: string }

type UtxoPage = { readonly utxos: readonly Utxo[]; readonly end: PageIndex | null }

export type PageWanted = {
  /** Sorted by their bytes. */
  readonly addresses: readonly LocalAddress[]
  readonly start: PageIndex | null
  readonly limit: number
}

/** The UTXOs of an address, newest first. */
type Listing = (address: string) => readonly Utxo[]

/** An id that no UTXO has: the end of a page without UTXOs. */
const noUtxo = zeroIdText

/**
 * A page of the chain's own UTXOs. It begins after the UTXO `start`, or with the newest one if `start` has been spent meanwhile. A UTXO of
 * two addresses is listed once per page, and may be listed again on the next page.
 */
export function ownPage(listing: Listing, { addresses, start, limit }: PageWanted): UtxoPage {
  const seen = new Set<Utxo>()
  let end: PageIndex | null = start
  for (const address of fromStart(addresses, start)) {
    const first = start?.address.hex === address.hex ? start.utxo : null
    end = { address, utxo: first ?? end?.utxo ?? noUtxo }
    const list = listing(address.text)
    const at = first === null ? -1 : list.findIndex(({ id }) => id === first)
    for (const utxo of list.slice(at + 1, at + 1 + limit)) {
      end = { address, utxo: utxo.id }
      seen.add(utxo)
      if (seen.size === limit) return { utxos: [...seen], end }
    }
  }
  return { utxos: [...seen], end }
}

/** A page of UTXOs that another chain has exported. As in a node's shared memory, the page includes the UTXO at which it starts. */
export function atomicPage(listing: Listing, { addresses, start, limit }: PageWanted): UtxoPage {
  const seen = new Set<Utxo>()
  let end: PageIndex | null = start
  for (const address of fromStart(addresses, start)) {
    const first = start?.address.hex === address.hex ? start.utxo : null
    end = { address, utxo: first ?? noUtxo }
    const list = listing(address.text)
    const at = first === null ? 0 : list.findIndex(({ id }) => id === first)
    for (const utxo of list.slice(Math.max(0, at))) {
      end = { address, utxo: utxo.id }
      seen.add(utxo)
      if (seen.size === limit) return { utxos: [...seen], end }
    }
  }
  return { utxos: [...seen], end }
}

function fromStart(addresses: readonly LocalAddress[], start: PageIndex | null): readonly LocalAddress[] {
  return start === null ? addresses : addresses.filter(({ hex }) => hex >= start.address.hex)
}
