import { expect, describe as group, test } from 'vitest'
import { pipelines } from '../../../pipelines/index.ts'
import { declaredBy, describe, describedNames } from '../../../src/cli/commands/declared.ts'
import { pipelineText } from '../../../src/cli/commands/pipeline-description.ts'
import { itemsPipeline } from '../../config/service-pipeline.ts'
import { chainlake } from '../in-process.ts'

const declared = declaredBy(pipelines)

group('a pipeline', () => {
  test('shows its parameters with their rules, its walk and its tables', () => {
    const text = pipelineText(itemsPipeline, 110)
    expect(text).toMatch(/^items: Items of a service\.$/m)
    expect(text).toMatch(/^ {2}the REST service +pageChain: /m)
    expect(text).toMatch(/^ {2}--network NETWORK +Required\. Network of the rows\. \(a name\)$/m)
    expect(text).toMatch(/^ {2}--kind KIND +Kind of items\. \(one of old, new\)$/m)
    expect(text).toMatch(/^ {2}--wallets LIST +Wallets\. \(each 0x and 4 digits\)$/m)
    expect(text).toMatch(/^ {2}--page-size N +Items a page\. \(from 1 to 100\)$/m)
    expect(text).toMatch(/^ {2}test_items +Items of a list\.$/m)
    expect(text).toContain('@FILE')
  })
  test('of containers shows its flags, the tables of its options, and how it takes times', async () => {
    const { stdout: text } = await chainlake(['describe', 'c-blocks'])
    expect(text).toMatch(/^ +range: all final records|^ {2}a node \(--node-url\) +range: all final records/m)
    expect(text).toMatch(/^ {2}--senders +/m)
    expect(text).toMatch(/^ {2}c_senders +(?:[^\n]+\n +)*[^\n]*Written with --senders\.$/m)
    expect(text).not.toContain('@FILE')
    expect(text).toContain('TIMES AS BOUNDS')
  })
  test('fits a terminal, with all of its words', () => {
    for (const pipeline of pipelines) {
      const lines = pipelineText(pipeline, 100).split('\n')
      const long = lines.filter((line) => line.length > 100 && !line.startsWith('  chainlake '))
      expect(long, pipeline.name).toEqual([])
      expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(`${pipeline.name}: ${pipeline.comment}`)
    }
  })
  test('has a description, whichever it is', () => {
    for (const { name } of pipelines) expect(describe(name, declared)).toMatchObject({ name, kind: 'pipeline' })
  })
})

test('all names that describe accepts are unique', () => {
  const names = describedNames(declared)
  expect(names.length).toBe(new Set(names).size)
})
