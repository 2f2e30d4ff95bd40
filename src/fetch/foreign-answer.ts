import type { Answer } from '../define/connection.ts'
import { withoutMark } from '../lib/text/utf8.ts'

/** A widely used firewall sends this text to programs instead of a page: `error code: 1020`. */
const firewallText = /^error code: 1\d{3}$/i

/**
 * Whether a firewall, a proxy or a login page answered instead of the service. Services and nodes answer with JSON or plain text, never
 * with a web page.
 */
export function isForeign({ headers, body }: Pick<Answer, 'headers' | 'body'>): boolean {
  const text = withoutMark(body.toString('utf8', 0, 1000)).trim()
  if (/^[{[]/.test(text)) return false
  return isWebPage(text) || /\bx?html\b/i.test(headers['content-type'] ?? '') || firewallText.test(text)
}

export function isWebPage(text: string): boolean {
  return /^\s*<(!doctype html|html|head|body)\b/i.test(text)
}

/** The text of a web page without its tags. */
export function textOfPage(page: string): string {
  return page
    .replace(/<!--.*?-->/gs, ' ')
    .replace(/<(script|style)\b.*?(<\/\1>|$)/gis, ' ')
    .replace(/<[^>]*(>|$)/g, ' ')
}
