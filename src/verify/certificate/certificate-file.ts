import { readFile } from 'node:fs/promises'
import { ConfigError, StorageError } from '../../errors.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'
import type { Certificate } from './certificate.ts'

/** Writes a certificate to a file atomically, and replaces an earlier one. */
export async function writeCertificate(path: string, certificate: Certificate): Promise<void> {
  try {
    await replaceFile(path, `${JSON.stringify(certificate, null, 2)}\n`)
  } catch (cause) {
    throw new StorageError('The certificate cannot be written.', {
      code: 'storage.certificate',
      details: { path, reason: cause instanceof Error ? cause.message : String(cause) },
      hint: 'Give --certificate a file in an existing folder that you may write to.',
      cause,
    })
  }
}

/** Reads a certificate that `writeCertificate` wrote. Throws `ConfigError` for any other file. */
export async function readCertificate(path: string): Promise<Certificate> {
  try {
    const read = JSON.parse(await readFile(path, 'utf8')) as Partial<Certificate>
    if (read.format === 5 && Array.isArray(read.streams) && Array.isArray(read.tables) && isMap(read.files))
      return read as Certificate
  } catch (cause) {
    throw notCertificate(path, cause)
  }
  throw notCertificate(path)
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function notCertificate(path: string, cause?: unknown): ConfigError {
  return new ConfigError('The file is not a certificate that this version of chainlake can read.', {
    code: 'config.certificate',
    details: { path, ...(cause instanceof Error ? { reason: cause.message } : {}) },
    hint: 'Give a file that this version wrote with chainlake verify --certificate.',
    cause,
  })
}
