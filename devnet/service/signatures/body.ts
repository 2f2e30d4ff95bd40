import { decodeCb58 } from '../../../codec/ids.ts'
import { ServiceError } from '../plumbing/index.ts'

/** The requested signature (specification 000, 4.1). */
type SigningRequest = { readonly message: Buffer | null; readonly justification: Buffer | null }

/**
 * Reads the body of a signature request. Throws `ServiceError` 400 with all mistakes: neither message nor justification, invalid hex, an
 * invalid subnet id, quorums that are not percentages or exceed 100 in sum.
 */
export function signingRequest(body: unknown): SigningRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw ServiceError.invalid(['The body must be a JSON object'])
  const fields = body as Readonly<Record<string, unknown>>
  const wrongs: string[] = []
  const hex = (name: string): Buffer | null => {
    const value = fields[name]
    if (value === undefined || value === null || value === '') return null
    const digits = typeof value === 'string' ? value.replace(/^0x/, '') : ''
    if (digits !== '' && digits.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(digits)) return Buffer.from(digits, 'hex')
    wrongs.push(`${name} must be a hexadecimal string`)
    return null
  }
  const whole = (name: string, standard: number, most: number): number => {
    const value = fields[name] ?? standard
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most) return value
    wrongs.push(`${name} must be an integer number from 0 to ${most}`)
    return 0
  }
  const request = { message: hex('message'), justification: hex('justification') }
  const quorum = whole('quorumPercentage', 67, 100)
  const buffer = whole('quorumPercentageBuffer', 0, 100)
  whole('pChainHeight', 0, Number.MAX_SAFE_INTEGER)
  // The current service calls the field signingSubnet.
  for (const name of ['signingSubnetId', 'signingSubnet'])
    if (fields[name] !== undefined && !isSubnetId(fields[name])) wrongs.push(`${name} must be a hex or cb58 subnet id`)
  if (quorum + buffer > 100) wrongs.push('quorumPercentage + quorumPercentageBuffer must be <= 100')
  if (wrongs.length === 0 && request.message === null && request.justification === null)
    wrongs.push('either message or justification must be provided')
  if (wrongs.length > 0) throw ServiceError.invalid(wrongs)
  return request
}

const idBytes = 32

function isSubnetId(value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(value)) return true
  return isId(value)
}

/** Whether a text is a CB58 id with a valid checksum. */
export function isId(text: string): boolean {
  try {
    return decodeCb58(text).length === idBytes
  } catch {
    return false
  }
}
