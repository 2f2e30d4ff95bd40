import { expect, describe as group, test } from 'vitest'
import { pipelines } from '../../../pipelines/index.ts'
import { declaredBy, describe, describedNames } from '../../../src/cli/commands/declared.ts'
import { describePipeline, pipelineText } from '../../../src/cli/commands/pipeline-description.ts'
import { itemsPipeline } from '../../config/service-pipeline.ts'

const declared = declaredBy(pipelines)

group('a pipeline', () => {
  test('shows its parameters with their rules, its walk and its tables', () => {
    const text = pipelineText(describePipeline(itemsPipeline))
    expect(text).toMatch(/^items \(pipeline\): Items of a service\.$/m)
    expect(text).toMatch(/^walk: pageChain: /m)
    expect(text).toMatch(/^--network +text, required +Network of the rows\. +must be a name$/m)
    expect(text).toMatch(/^--kind +text +Kind of items\. +one of old, new$/m)
    expect(text).toMatch(/^--wallets +list +Wallets\. +each must be 0x and 4 digits$/m)
    expect(text).toMatch(/^--page-size +whole +Items a page\. +from 1 to 100$/m)
    expect(text).toMatch(/^test_items +Items of a list\.$/m)
    expect(text).toContain('@FILE')
  })
  test('of containers shows its flags and the tables of its options', () => {
    const text = pipelineText(describe('c-blocks', declared) as ReturnType<typeof describePipeline>)
    expect(text).toMatch(/^walk: range: all final records/m)
    expect(text).toMatch(/^--senders +boolean/m)
    expect(text).toMatch(/^c_senders .* With --senders\.$/m)
    expect(text).not.toContain('@FILE')
  })
  test('fits a terminal, with all of its words', () => {
    for (const pipeline of pipelines) {
      const text = pipelineText(describePipeline(pipeline), 100)
      expect(Math.max(...text.split('\n').map((line) => line.length)), pipeline.name).toBeLessThanOrEqual(100)
      const words = text.replace(/\s+/g, ' ')
      expect(words).toContain(`${pipeline.name} (pipeline): ${pipeline.comment}`)
      expect(words).toContain('walk: ')
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
