import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrapped as wrappedText } from '../../src/cli/terminal/tables.ts'
import { packageRoot } from '../../src/lib/package.ts'

/** Columns of a line of prose. Tables and code are not broken. */
const lineWidth = 120

/** What makes the parts of pages that are generated, by the path of the page and the name of the part. */
export type Pages = { readonly [path: string]: { readonly [part: string]: (...words: readonly string[]) => string } }

/**
 * Each page with its parts: the text between `<!-- generated: NAME ARGUMENT -->` and `<!-- end -->` is what the maker of this name returns for
 * the arguments. Throws `RangeError` for an unknown name, and for a maker that the page does not name.
 */
export function filledPages(pages: Pages) {
  return Object.entries(pages).map(([path, makers]) => {
    const unused = new Set(Object.keys(makers))
    const text = readFileSync(join(packageRoot(), path), 'utf8').replace(
      /(<!-- generated: (.+) -->\n)(?:[\s\S]*?\n)??(<!-- end -->)/g,
      (_, begin: string, words: string, end: string) => {
        const [name = '', ...others] = words.split(' ')
        const make = makers[name]
        if (make === undefined) throw new RangeError(`${path} names ${name}, which nothing generates.`)
        unused.delete(name)
        return `${begin}${make(...others)}\n${end}`
      },
    )
    if (unused.size > 0) throw new RangeError(`${path} does not name ${[...unused].join(', ')}.`)
    return { path, text }
  })
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
function wrapped(text: string, width: number): string[] {
  return wrappedText(text, width, /(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g)
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

/** Links to sections of the page, such as [`a`](#a), [`b`](#b). */
export function linksTo(sections: readonly { readonly name: string }[]): string {
  return sections.map(({ name }) => `[\`${name}\`](#${name})`).join(', ')
}
