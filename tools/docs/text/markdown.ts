/** A document that is generated completely: its path in the package, and its text. */
export type Document = { readonly path: string; readonly text: string }

/** Columns of a line of prose. Tables and code are not broken. */
const lineWidth = 120

/** The first line of every generated document, which readers of the rendered page do not see. */
const generatedNote = '<!-- `npm run docs` generates this file from the declarations in the code. Do not edit it. -->'

/** A generated document from its title and its blocks. */
export function documentText(title: string, blocks: readonly string[]): string {
  return `${[`# ${title}`, generatedNote, ...blocks].join('\n\n')}\n`
}

export function paragraph(text: string): string {
  return wrapped(text, lineWidth).join('\n')
}

export function bullets(texts: readonly string[]): string {
  return texts
    .map((text) =>
      wrapped(text, lineWidth - 2)
        .map((line, at) => `${at === 0 ? '- ' : '  '}${line}`)
        .join('\n'),
    )
    .join('\n')
}

/** Code and links stay in one line. */
const unbroken = /(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.match(unbroken) ?? []) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(header), row(header.map(() => '---')), ...rows.map(row)].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => escaped(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

/** A text in one line, in which `<` begins no HTML element. Code spans show characters as they are. */
export function escaped(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('')
}

export function codeBlock(language: string, text: string): string {
  return [`\`\`\`${language}`, text.trimEnd(), '```'].join('\n')
}

/** Such as `a`, `b`. */
export function codeNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
