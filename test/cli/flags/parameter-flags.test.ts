import { describe, expect, test } from 'vitest'
import { pipelines } from '../../../pipelines/index.ts'
import { commands } from '../../../src/cli/commands/index.ts'
import { parameterFlags } from '../../../src/cli/flags/command.ts'
import { parseParameter } from '../../../src/cli/jobs/jobs.ts'
import type { Parameter, Parameters } from '../../../src/define/index.ts'
import { itemsPipeline } from '../../config/service-pipeline.ts'

describe('the flags of parameters', () => {
  const flags = parameterFlags(pipelines)

  test('include every parameter of every pipeline', () => {
    for (const pipeline of pipelines)
      for (const name of Object.keys(pipeline.parameters)) expect(Object.keys(flags)).toContain(name)
  })
  test('have no name of another flag of run', () => {
    const run = commands.find(({ name }) => name === 'run')
    const others = Object.keys(run?.options ?? {})
    expect(Object.keys(flags).filter((name) => others.includes(name))).toEqual([])
  })
  test('have the boolean type in every pipeline or in none', () => {
    const kinds = new Map<string, Set<boolean>>()
    for (const pipeline of pipelines)
      for (const [name, { kind }] of Object.entries<Parameter>(pipeline.parameters))
        kinds.set(name, (kinds.get(name) ?? new Set()).add(kind === 'boolean'))
    expect([...kinds].filter(([, found]) => found.size > 1)).toEqual([])
  })
})

describe('the parser of parameter values', () => {
  const value = (name: string, given: string | boolean) =>
    parseParameter(name, (itemsPipeline.parameters as Parameters)[name]!, given)

  test('accepts every kind', () => {
    expect(value('chain-id', '43114')).toBe('43114')
    expect(value('page-size', '7')).toBe(7)
    expect(value('since', '2023-11-14T22:13:20Z')).toBe(1_700_000_000)
    expect(value('all', false)).toBe(false)
    expect(value('wallets', '0x0001, 0x0002,0x0001,')).toEqual(['0x0001', '0x0002'])
    expect(value('wallets', '@/lists/w.txt')).toEqual({ file: '/lists/w.txt' })
    expect(value('wallets', 'query:select 1')).toEqual({ query: 'select 1' })
  })
  test('accepts the bounds of a range', () => {
    const parameters: Parameters = pipelines.find(({ name }) => name === 'p-blocks')?.parameters
    const bound = (name: string, given: string) => parseParameter(name, parameters[name]!, given)
    expect(bound('from', '12M')).toBe(12_000_000)
    expect(bound('to', '-1_000')).toBe(-1_000)
    expect(bound('range', '1k:-5')).toEqual({ from: 1_000, to: -5 })
    expect(() => bound('to', '0')).toThrow(/^--to must be a whole number from 1 such as/)
  })
  test.each([
    ['page-size', '0', /^--page-size must be a whole number from 1 to 100, not "0"\.$/],
    ['page-size', '1e1', /^--page-size must be a whole number/],
    ['network', 'FUJI', /^--network must be a name, not "FUJI"\.$/],
    ['wallets', '0x0001,0x1', /^--wallets must be 0x and 4 digits, not "0x1"\.$/],
    ['wallets', '', /^--wallets must not be empty\.$/],
    ['wallets', '@', /^--wallets must have a text as its file\.$/],
    ['wallets', 'query: ', /^--wallets must have a text as its query\.$/],
    ['since', 'now', /^--since must be Unix seconds or a time/],
  ])('refuses --%s %s', (name, given, message) => expect(() => value(name, given)).toThrow(message))
})
