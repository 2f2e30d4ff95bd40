import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../lib/files/package-root.ts'
import type { PageData } from './data/page-data.ts'

/** The parts of the page that the build creates: its script, bundled with its libraries, its style, and the licences of those libraries. */
type PageParts = { readonly script: string; readonly style: string; readonly licences: string }

export async function readPageParts(): Promise<PageParts> {
  const read = (name: string): Promise<string> => readFile(join(packageRoot(), 'dist/report', name), 'utf8')
  const [script, style, licences] = await Promise.all([read('page.js'), read('page.css'), read('licences.txt')])
  return { script, style, licences }
}

/** The whole page: the data as JSON that browsers do not run, and one script and one style that its policy names by their hashes. */
export function pageHtml(data: PageData, { script, style, licences }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src '${integrityOf(script)}'`,
    `style-src '${integrityOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>A lake of chainlake</title>
<style>${style}</style>
</head>
<body>
<noscript><p class="noscript">This page draws itself with a script that it brings along, and scripts are switched off. The same numbers: <code>chainlake status</code> and <code>chainlake sql</code>.</p></noscript>
<div id="page"></div>
<script type="application/json" id="data">${embeddedJson(data)}</script>
<script type="text/plain" id="licences">${embeddedText(licences)}</script>
<script type="module">${script}</script>
</body>
</html>
`
}

/** The hash by which a content security policy names the content of an element. */
function integrityOf(content: string): string {
  return `sha256-${hash('sha256', content, 'base64')}`
}

/** JSON that cannot end an element or begin a comment. It stays on one line for a program that reads it as JavaScript. */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Text of chainlake itself: no `<` in it begins an element. */
function embeddedText(text: string): string {
  return text.replace(/</g, '(')
}
