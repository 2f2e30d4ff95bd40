import { describe, expect, test } from 'vitest'
import { anchorsOf, blocksOf, linksOf, longLines } from './markdown.ts'

const fence = '```'

describe('blocks of a document', () => {
  test('have their line, language, text and reason', () => {
    const text = `# A\n\n<!-- not run: needs Spark -->\n${fence}sh\na\n\n  b\n${fence}\n\n- in a list\n\n  ${fence}SQL x\n  c\n    d\n  ${fence}\n`
    expect(blocksOf(text)).toEqual([
      { line: 4, language: 'sh', text: 'a\n\n  b\n', notRun: 'needs Spark' },
      { line: 12, language: 'sql', text: 'c\n  d\n' },
    ])
  })

  test('end at a fence as long as the first, and a reason holds for the next block only', () => {
    const text = `<!-- not run: needs Spark -->\n${fence}\`text\n${fence}\n${fence}\`\n${fence}\nb\n${fence}\n`
    expect(blocksOf(text)).toEqual([
      { line: 2, language: 'text', text: `${fence}\n`, notRun: 'needs Spark' },
      { line: 5, language: '', text: 'b\n' },
    ])
  })

  test('without an end are an error', () => {
    expect(() => blocksOf(`a\n${fence}sh\nls\n`)).toThrow('has no end')
  })
})

test('anchors of headings are those of GitHub', () => {
  const text =
    '# With `code`, a [link](x.md) & a dash – here!\n## Twice\n## Twice\n### snake_case 2.0\n<a id="own"></a>\n' +
    `${fence}\n# comment\n${fence}\n`
  expect([...anchorsOf(text)]).toEqual(['with-code-a-link--a-dash--here', 'twice', 'twice-1', 'snake_case-20', 'own'])
})

test('links are found in text, pictures, definitions and HTML, but not in code', () => {
  const text =
    '[a](b.md#c "title") ![p](d/e.png)\n[f]: g.md\n<img alt="" src="h.png"> `[i](j)` [`k`](l)\n[a text over\ntwo lines](m)\n' +
    `${fence}\n[n](o)\n${fence}\n`
  expect(linksOf(text)).toEqual([
    { line: 1, target: 'b.md#c' },
    { line: 1, target: 'd/e.png' },
    { line: 2, target: 'g.md' },
    { line: 3, target: 'h.png' },
    { line: 3, target: 'l' },
    { line: 5, target: 'm' },
  ])
})

test('a long line is one of prose', () => {
  const long = 'word '.repeat(4)
  const text = `${long}\n| ${long} |\n<!-- ${long} -->\n[word](${long.trim()})\n${fence}\n${long}\n${fence}\nshort`
  expect(longLines(text, 10)).toEqual([1])
})
