/**
 * Characters that a terminal obeys instead of showing them: control characters (also those of eight bits) except tab and line feed, and
 * marks that change the direction of text.
 */
const commands = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** Makes text from any source safe for a terminal: it writes each character that is a command as an escape such as `\u001b`. */
export function visibleText(text: string): string {
  return text.replace(commands, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Quotes a text as one word of a shell, for a command that a person copies. */
export function shellText(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
