import { keccak256 } from '../../../codec/keccak.ts'
import { inputOf } from '../../c/abi.ts'
import type { Log } from '../../service/evm/contracts/contract.ts'
import type { Standard } from '../../service/evm/state.ts'
import { data } from './hex.ts'

/** The topics and data of an event in its log. */
export type Written = { readonly topics: readonly string[]; readonly data: string }

const topics = {
  transfer: topicOf('Transfer(address,address,uint256)'),
  approval: topicOf('Approval(address,address,uint256)'),
  single: topicOf('TransferSingle(address,address,address,uint256,uint256)'),
  batch: topicOf('TransferBatch(address,address,address,uint256[],uint256[])'),
} as const

/** Topics and data of a token event, as contracts of its standard write them; `operator`: the caller. */
export function writtenBy(standard: Standard, { moves, approval }: Log, operator: string): Written {
  if (approval !== null) {
    const { owner, spender, value } = approval
    return { topics: [topics.approval, word(owner), word(spender)], data: argumentsOf(value) }
  }
  const [first] = moves
  if (first === undefined) throw new Error('an event moves nothing')
  const [from, to] = [word(first.from), word(first.to)]
  if (standard === 'ERC-20') return { topics: [topics.transfer, from, to], data: argumentsOf(first.value) }
  if (standard === 'ERC-721') return { topics: [topics.transfer, from, to, numberWord(first.tokenId!)], data: '0x' }
  const parties = [word(operator), from, to]
  if (moves.length === 1) return { topics: [topics.single, ...parties], data: argumentsOf(first.tokenId!, first.value) }
  return {
    topics: [topics.batch, ...parties],
    data: argumentsOf(
      moves.map(({ tokenId }) => tokenId!),
      moves.map(({ value }) => value),
    ),
  }
}

function argumentsOf(...values: readonly (bigint | readonly bigint[])[]): string {
  return data(inputOf('', values))
}

function topicOf(signature: string): string {
  return data(keccak256(new TextEncoder().encode(signature)))
}

function word(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`
}

function numberWord(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
