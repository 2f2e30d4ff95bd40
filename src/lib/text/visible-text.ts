/**
 * What a terminal obeys instead of showing it: control characters but for tab and line feed, those of eight bits too, and marks
 * that turn the direction of text.
 */
const commands = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** Text that may come from anywhere, as a terminal may be given it: what is a command to it is written as `\u001b`. */
export function visibleText(text: string): string {
  return text.replace(commands, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
