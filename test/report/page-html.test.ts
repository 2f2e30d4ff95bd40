import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { embeddedJson, type PageData, pageHtml, readPageParts } from '../../src/report/make-report.ts'
import { runs } from '../runs.ts'

const hostile = [
  '</script><script>alert(1)</script>',
  '<!--<script>',
  '\u2028\u2029\u202e\u2066',
  '&lt;b&gt; &amp;',
  "'); DROP TABLE p_blocks; --",
  '"\\u003c',
  '\ud800',
]

const data: PageData = {
  name: 'lake</title><script>alert(1)</script>',
  lake: '/lake</title><script>alert(1)</script>',
  version: '0.1.0',
  madeMs: 0,
  snapshot: null,
  verdicts: [],
  problems: [],
  facts: [],
  streams: [],
  gaps: [],
  moreGaps: 0,
  sections: [],
  beginning: [],
  preparation: hostile.join('\n'),
}

test('embedded text comes back unchanged and cannot close an element, whatever it contains', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(...hostile),
    fc.string({ unit: fc.constantFrom(...'<>/!-&script\u2028\u2029') }),
  )
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      const embedded = embeddedJson({ [a]: [b] })
      expect(JSON.parse(embedded)).toEqual({ [a]: [b] })
      expect(embedded).not.toMatch(/[<>&\u2028\u2029]/)
    }),
    { numRuns: runs(60) },
  )
})

test('the content policy allows only the one script and the one style by their hashes', async () => {
  const html = pageHtml(data, await readPageParts())
  const [, policy = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html) ?? []
  const scripts = [...html.matchAll(/<script type="module">([\s\S]*?)<\/script>/g)].map(([, content = '']) => content)
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, content = '']) => content)
  expect([scripts.length, styles.length]).toEqual([1, 1])
  expect(policy).toBe(
    [
      "default-src 'none'",
      `script-src 'sha256-${hash('sha256', scripts[0] ?? '', 'base64')}'`,
      `style-src 'sha256-${hash('sha256', styles[0] ?? '', 'base64')}'`,
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; '),
  )
  expect(html.match(/<script\b[^>]*>/g)).toEqual([
    '<script type="application/json" id="data">',
    '<script type="text/plain" id="licences">',
    '<script type="module">',
  ])
  // The markup before the first script has no event handler and loads nothing.
  const markup = html.slice(0, html.indexOf('<script'))
  expect(markup).not.toMatch(/\son\w+=|\b(src|href)=|url\(|@import/)
})

test('the page without data takes less than 800 kB and contains the licences of bundled packages', async () => {
  const parts = await readPageParts()
  expect(Buffer.byteLength(pageHtml(data, parts))).toBeLessThan(800_000)
  expect(parts.licences).toContain('@observablehq/plot')
  expect(parts.licences).toContain('Permission to use, copy, modify')
})
