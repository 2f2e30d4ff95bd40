import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as errors from '../../src/errors.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { type SourceFile, sourceFiles } from '../source-files.ts'

/** What the page says of a code: the exit code of the command, what happened, and what to do. */
type ErrorFact = readonly [exitCode: number, cause: string, remedy: string]

const sections = readFileSync(join(packageRoot(), 'docs/reference/errors.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) =>
    Array.from(
      section.matchAll(/^\| `([^`]+)` \| (\d) \| (.+) \| (.+) \|$/gm),
      ([, code, exitCode, cause, remedy]): [string, ErrorFact] => [code!, [Number(exitCode), cause!, remedy!]],
    ),
  )
const errorCodes: Readonly<Record<string, ErrorFact>> = Object.fromEntries(sections.flat())

/** Codes of other things: mistakes that zod reports. */
const others = ['custom']
const sources = ['codec', 'devnet', 'src', 'pipelines'].flatMap(sourceFiles)

/** A code where it is given to an error: as an option, as a fallback, as a constant or as the default of a class. */
const given =
  /(?:\bcode: |\bcode \?\? |\bcode = |, \d, (?='[^']+', (?:options|withKind\(|\{)))'([a-z]+(?:[.-][a-z0-9]+)*)'/g

type Use = { readonly code: string; readonly path: string; readonly exitCode: number | null }

function usesIn({ path, text }: SourceFile): Use[] {
  return Array.from(text.matchAll(given), ({ 1: code, index }) => ({
    code: code!,
    path,
    exitCode: exitCodeBefore(text.slice(Math.max(0, index - 500), index)),
  })).filter(({ code }) => !others.includes(code))
}

/** The exit code of the class that is constructed last in the text; null if none is. */
function exitCodeBefore(text: string): number | null {
  const name = Array.from(text.matchAll(/\bnew (\w+)\(/g), ([, each]) => each!).at(-1)
  return name === undefined ? null : (exitCodes[name] ?? null)
}

const exitCodes: Readonly<Record<string, number>> = {
  DefinitionError: new errors.DefinitionError('').exitCode,
  ConfigError: new errors.ConfigError('').exitCode,
  TransportError: new errors.TransportError('').exitCode,
  DecodeError: new errors.DecodeError('').exitCode,
  SchemaError: new errors.SchemaError('').exitCode,
  CatalogError: new errors.CatalogError('').exitCode,
  CatalogUnreachableError: new errors.CatalogUnreachableError('').exitCode,
  LockedError: new errors.LockedError('').exitCode,
  OtherSourceError: new errors.OtherSourceError('').exitCode,
  UnknownVersionError: new errors.UnknownVersionError('').exitCode,
  StorageError: new errors.StorageError('').exitCode,
  VerifyError: new errors.VerifyError('').exitCode,
}

/** Errors of both exit codes have it, as its text says. */
const ofTwoExitCodes = ['lake.other-data']

describe('the reference of error codes', () => {
  const uses = sources.flatMap(usesIn)

  test('has every code that the sources give to an error (add a new one to docs/reference/errors.md)', () => {
    expect(uses.length).toBeGreaterThan(300)
    expect(uses.filter(({ code }) => errorCodes[code] === undefined)).toEqual([])
  })

  test('can be compared with the sources: they compute no code but those of the file system', () => {
    const computed = sources.filter(({ text }) => /\bcode: `/.test(text)).map(({ path }) => path)
    expect(computed).toEqual(['src/write/parquet-thread.ts'])
  })

  test('lists each code once, in alphabetical order within its section', () => {
    expect(sections.length).toBe(5)
    for (const section of sections) {
      const codes = section.map(([code]) => code)
      expect(codes.length).toBeGreaterThan(10)
      expect(codes).toEqual([...new Set(codes)].toSorted((a, b) => (a < b ? -1 : 1)))
    }
  })

  test('has no code that no error has', () => {
    const known = new Set(uses.map(({ code }) => code))
    const ofFileSystem = ['storage.eexist', 'storage.eio', 'storage.emfile', 'storage.enfile', 'storage.enotdir']
    expect(Object.keys(errorCodes).filter((code) => !known.has(code) && !ofFileSystem.includes(code))).toEqual([])
  })

  test('has the exit code of the class that is thrown', () => {
    const wrong = uses.filter(
      ({ code, exitCode }) => exitCode !== null && exitCode !== errorCodes[code]?.[0] && !ofTwoExitCodes.includes(code),
    )
    expect(wrong).toEqual([])
  })

  test.each(Object.entries(errorCodes))('says of %s what happened and what to do', (_, [, cause, remedy]) => {
    for (const text of [cause, remedy]) expect(text).toMatch(/^([A-Z`]|chainlake ).{7,}\.$/)
  })
})
