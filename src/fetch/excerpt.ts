import { visibleText } from '../lib/text/visible-text.ts'
import { isWebPage, textOfPage } from './foreign-answer.ts'

/**
 * The beginning of an answer as messages may show it: one line without secrets and terminal control characters. HTML tags of a web page
 * are removed.
 */
export function excerptOf(body: Buffer, secrets: readonly string[]): string {
  return shown(body.toString('utf8', 0, 20_000), secrets)
}

/**
 * The message of an error body (specification 000, part 7: `message`, one text or several; JSON-RPC: `error.message`), otherwise its
 * beginning.
 */
export function saidBy(body: Buffer, secrets: readonly string[]): string {
  return shown(messageIn(body.toString('utf8', 0, 20_000)), secrets)
}

function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    const message = messageOf(body) ?? messageOf(fieldOf(body, 'error'))
    if (typeof message === 'string') return message
    if (Array.isArray(message) && message.every((line) => typeof line === 'string')) return message.join('; ')
  } catch {
    // The body is not JSON: show its text.
  }
  return text
}

function messageOf(value: unknown): unknown {
  return fieldOf(value, 'message')
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

function shown(text: string, secrets: readonly string[]): string {
  const safe = withoutSecrets(text, secrets)
  const said = isWebPage(safe) ? textOfPage(safe) : safe
  return visibleText(said.replace(/\s+/g, ' ').trim().slice(0, 300))
}

/** A text with `…` for each secret. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}
