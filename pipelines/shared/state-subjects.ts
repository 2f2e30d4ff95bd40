import { callEnd } from '../../src/decode/calls/call-refusals.ts'
import { tokenInputs, tokenRow } from '../../src/decode/calls/token-row.ts'
import { balanceRow, codeRow, nonceRow, storageRow } from '../../src/decode/evm/cell-rows.ts'
import type { EvmSubject } from '../../src/define/index.ts'
import type { StateSubject } from './state-pipeline.ts'

/** What the pipelines of state read at each block, and `verify --node` reads again. */

export function balanceSubject(address: string): StateSubject {
  return {
    key: { address },
    calls: (block) => [{ method: 'eth_getBalance', params: [address, block] }],
    read: (cell, context) => balanceRow(cell, context, address),
  }
}

/** The requests of a call. Only the code of the account says whether an empty output comes from a contract. */
export function callSubject(to: string, input: Buffer): Omit<EvmSubject, 'name'> {
  const data = `0x${input.toString('hex')}`
  return {
    calls: (block) => [{ method: 'eth_call', params: [{ to, data }, block] }],
    next: ([outcome], block) =>
      outcome !== undefined && 'result' in outcome && outcome.result === '0x'
        ? [{ method: 'eth_getCode', params: [to, block] }]
        : [],
    isAnswer: (refusal) => callEnd(refusal) !== null,
  }
}

export function codeSubject(address: string): StateSubject {
  return {
    key: { address },
    calls: (block) => [{ method: 'eth_getCode', params: [address, block] }],
    read: (cell, context) => codeRow(cell, context, address),
  }
}

export function nonceSubject(address: string): StateSubject {
  return {
    key: { address },
    calls: (block) => [{ method: 'eth_getTransactionCount', params: [address, block] }],
    read: (cell, context) => nonceRow(cell, context, address),
  }
}

export function storageSubject(place: { readonly address: string; readonly slot: string }): StateSubject {
  return {
    key: place,
    calls: (block) => [{ method: 'eth_getStorageAt', params: [place.address, place.slot, block] }],
    read: (cell, context) => storageRow(cell, context, place),
  }
}

export function tokenSubject(token: string): StateSubject {
  return {
    key: { token_address: token },
    calls: (block) => tokenInputs.map((data) => ({ method: 'eth_call', params: [{ to: token, data }, block] })),
    isAnswer: (refusal) => callEnd(refusal) !== null,
    read: (cell, context) => tokenRow(cell, context, token),
  }
}
