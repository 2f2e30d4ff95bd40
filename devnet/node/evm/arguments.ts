import { MethodError } from '../../http/json-rpc.ts'

/** The arguments of a call by position. */
export type Arguments = readonly unknown[]

/** Returns a required argument; throws if it is missing. */
export function required(args: Arguments, position: number): unknown {
  const value = args[position]
  if (value === undefined || value === null)
    throw new MethodError(`missing value for required argument ${position}`, -32602)
  return value
}

/** The error of the EVM's server for an argument that it cannot read. */
export function invalid(position: number, why: string): MethodError {
  return new MethodError(`invalid argument ${position}: ${why}`, -32602)
}

/** The block number of a tag or hex text. */
export function blockArgument(args: Arguments, position: number, head: number): number {
  return blockNumber(required(args, position), position, head)
}

export function blockNumber(tag: unknown, position: number, head: number): number {
  if (tag === 'earliest') return 0
  if (['latest', 'safe', 'finalized', 'accepted', 'pending'].includes(String(tag))) return head
  if (typeof tag !== 'string' || !tag.startsWith('0x')) throw invalid(position, 'hex string without 0x prefix')
  if (tag === '0x') throw invalid(position, 'hex string "0x"')
  if (!/^0x[0-9a-f]+$/i.test(tag)) throw invalid(position, 'invalid hex string')
  if (/^0x0./.test(tag)) throw invalid(position, 'hex number with leading zero digits')
  return Number(tag)
}

/** An address in lower-case hex. */
export function addressArgument(args: Arguments, position: number): string {
  return fixedHex(required(args, position), position, 20, 'common.Address')
}

/** A hash in lower-case hex. */
export function hashArgument(args: Arguments, position: number): string {
  return fixedHex(required(args, position), position, 32, 'common.Hash')
}

/** Bytes of a fixed length in lower-case hex. */
export function fixedHex(value: unknown, position: number, length: number, type: string): string {
  const wrong = (why: string): MethodError =>
    invalid(position, `json: cannot unmarshal ${why} into Go value of type ${type}`)
  if (typeof value !== 'string') throw wrong('non-string')
  if (!/^0x[0-9a-f]*$/i.test(value)) throw wrong('hex string without 0x prefix')
  const digits = value.length - 2
  if (digits !== length * 2) throw wrong(`hex string has length ${digits}, want ${length * 2}`)
  return value.toLowerCase()
}

/** A number in the hex form of the RPC. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

/** Methods by name. They take their arguments by position and return JSON values. */
export type EvmMethods = Readonly<Record<string, (args: Arguments) => Promise<unknown> | unknown>>
