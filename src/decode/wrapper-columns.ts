import { ripemd160, sha256 } from '../../codec/hash.ts'
import { nodeIdText } from '../../codec/node-id.ts'
import type { OpenedContainer } from '../../codec/opened-container.ts'
import { remembered } from '../../codec/text-cache.ts'
import type { Container } from '../model.ts'
import { acceptedColumns } from './container-facts.ts'
import { boundedNumber } from './numbers.ts'
import { timeOf } from './times.ts'

/** The columns of the proposervm wrapper and of the index. They are the same in all tables of blocks. */
export type WrapperColumns = {
  container_id: string | null
  container_index: number | null
  accepted_at: bigint | null
  accepted_at_ns: bigint | null
  wrapper: string | null
  wrapper_parent_id: string | null
  wrapper_time: bigint | null
  wrapper_p_height: number | null
  proposer_node_id: string | null
  epoch_number: number | null
  epoch_start: bigint | null
  epoch_p_height: number | null
  byte_length: number | null
}

/** Returns the columns for a container. Rows list each of them: a literal with spreads takes many times as long as one of names only. */
export function wrapperColumns(container: Container, { wrapper, parentId }: OpenedContainer): WrapperColumns {
  const accepted = acceptedColumns(container)
  const signed = wrapper.kind === 'block' || wrapper.kind === 'granite' ? wrapper : null
  const epoch = wrapper.kind === 'granite' ? wrapper.epoch : null
  return {
    container_id: container.id,
    container_index: container.index,
    accepted_at: accepted.accepted_at,
    accepted_at_ns: accepted.accepted_at_ns,
    wrapper: wrapper.kind,
    wrapper_parent_id: parentId,
    wrapper_time: signed === null ? null : timeOf(signed.time),
    wrapper_p_height: signed === null ? null : boundedNumber(signed.pHeight, 'wrapper.pChainHeight'),
    proposer_node_id: signed === null ? null : proposer(signed.certificate),
    epoch_number: epoch === null ? null : boundedNumber(epoch.number, 'wrapper.epoch.number'),
    epoch_start: epoch === null ? null : timeOf(epoch.start),
    epoch_p_height: epoch === null ? null : boundedNumber(epoch.pHeight, 'wrapper.epoch.pChainHeight'),
    byte_length: container.bytes.length,
  }
}

/** The columns of a block that was read by RPC, which knows neither wrapper nor index. */
export const withoutWrapper: WrapperColumns = {
  container_id: null,
  container_index: null,
  accepted_at: null,
  accepted_at_ns: null,
  wrapper: null,
  wrapper_parent_id: null,
  wrapper_time: null,
  wrapper_p_height: null,
  proposer_node_id: null,
  epoch_number: null,
  epoch_start: null,
  epoch_p_height: null,
  byte_length: null,
}

/** Returns the id of the node of a certificate (DER) (wire-format.md 1.4); null for an unsigned block. */
function proposer(certificate: Uint8Array): string | null {
  return certificate.length === 0 ? null : nodeIdOf(certificate)
}

/** A cache, because validators sign many blocks each, and hashing a certificate takes longer than comparing it. */
const nodeIdOf = remembered((certificate) => nodeIdText(ripemd160(sha256(certificate))))
