/** A fenced block. */
export type Block = {
  /** Line of the fence, from 1. The text begins in the next one. */
  readonly line: number
  /** First word after the fence, in lower case; empty for none. */
  readonly language: string
  readonly text: string
  /** REASON of the comment `<!-- not run: REASON -->` in the line before the fence. */
  readonly notRun?: string
}

type Line = { readonly number: number; readonly text: string }

/** The fenced blocks of a Markdown document. A block in a list is not indented in `text`. */
export function blocksOf(markdown: string): Block[] {
  return partsOf(markdown).blocks
}

/** The lines outside of fenced blocks. */
export function proseOf(markdown: string): Line[] {
  return partsOf(markdown).prose
}

function partsOf(markdown: string): { readonly blocks: Block[]; readonly prose: Line[] } {
  const found: {
    readonly fence: string
    readonly indent: number
    readonly block: Omit<Block, 'text'>
    text: string
  }[] = []
  const prose: Line[] = []
  let isOpen = false
  let last = ''
  for (const [at, text] of markdown.split('\n').entries()) {
    const open = isOpen ? found.at(-1) : undefined
    const [, indent = '', fence, language = ''] = /^( *)(`{3,}|~{3,}) *([^\s`]*)[^`]*$/.exec(text) ?? []
    if (open !== undefined && isEnd(text, open.fence)) isOpen = false
    else if (open !== undefined) open.text += `${text.slice(Math.min(open.indent, text.search(/\S|$/)))}\n`
    else if (fence === undefined) prose.push({ number: at + 1, text })
    else {
      isOpen = true
      const notRun = /^\s*<!-- not run: (.+) -->\s*$/.exec(last)?.[1]
      const block = { line: at + 1, language: language.toLowerCase(), ...(notRun !== undefined && { notRun }) }
      found.push({ fence, indent: indent.length, block, text: '' })
    }
    last = text
  }
  if (isOpen) throw new Error(`The block in line ${found.at(-1)?.block.line} has no end.`)
  return { blocks: found.map(({ block, text }) => ({ ...block, text })), prose }
}

const isEnd = (text: string, fence: string): boolean => {
  const found = text.trim()
  return found.length >= fence.length && found === fence[0]!.repeat(found.length)
}

/** The parts of links after `#` that lead to a heading or a named element, as GitHub makes them. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const { text } of proseOf(markdown)) {
    const heading = /^ {0,3}#{1,6}\s+(.+?)(\s+#+)?\s*$/.exec(text)?.[1]
    if (heading !== undefined) anchors.add(freeAnchor(anchorOf(heading), anchors))
    for (const [, name] of text.matchAll(/<\w+\s[^>]*\b(?:id|name)="([^"]+)"/g)) anchors.add(name!)
  }
  return anchors
}

/** A second heading of the same text has `-1` at its end, a third one `-2`. */
function freeAnchor(anchor: string, taken: ReadonlySet<string>): string {
  let number = 0
  while (taken.has(number === 0 ? anchor : `${anchor}-${number}`)) number++
  return number === 0 ? anchor : `${anchor}-${number}`
}

const anchorOf = (heading: string): string =>
  heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/&(lt|gt|amp|quot);/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

export type Link = { readonly line: number; readonly target: string }

/** Targets of links and pictures, also of those that HTML elements and reference definitions have. */
export function linksOf(markdown: string): Link[] {
  return proseOf(markdown).flatMap(({ number, text }) =>
    Array.from(
      withoutCode(text).matchAll(
        /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)|<(?:a|img|source)\s[^>]*\b(?:href|src|srcset)="([^"]+)"/g,
      ),
      ([, inline, reference, html]) => ({ line: number, target: (inline ?? reference ?? html)! }),
    ),
  )
}

const withoutCode = (text: string): string => text.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '')

/** Lines of prose that are longer than this many characters, without targets of links, tables and comments. */
export function longLines(markdown: string, most: number): number[] {
  return proseOf(markdown)
    .filter(({ text }) => !/^\s*(\||<!--)/.test(text))
    .map(({ number, text }) => ({ number, text: text.replace(/\]\([^)]*\)/g, ']').replace(/<?https?:\/\/\S+/g, '') }))
    .filter(({ text }) => [...text].length > most)
    .map(({ number }) => number)
}
