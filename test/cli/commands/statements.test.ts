import { expect, test } from 'vitest'
import { isBlank, oneLine, splitStatements } from '../../../src/cli/commands/sql-prompt.ts'

test('SQL is split at semicolons outside of quotes and comments', () => {
  const text = `select ';' as "a;b"; -- not; here\nselect 1 /* nor; here */; select $$;$$ as d; select 2`
  expect(splitStatements(text)).toEqual({
    statements: [`select ';' as "a;b"`, '-- not; here\nselect 1 /* nor; here */', 'select $$;$$ as d'],
    rest: ' select 2',
  })
})

test('a text with an open quote stays whole', () => {
  expect(splitStatements("select 'a; b")).toEqual({ statements: [], rest: "select 'a; b" })
})

test('a doubled quote does not end the text', () => {
  expect(splitStatements("select 'it''s; fine';").statements).toEqual(["select 'it''s; fine'"])
})

test('blank statements are dropped', () => {
  expect(splitStatements(';; -- nothing\n;').statements).toEqual([])
  expect(isBlank(' /* a */ -- b\n')).toBe(true)
  expect(isBlank('select 1')).toBe(false)
})

test.each([
  ['select 1\n  as a -- one\n', 'select 1   as a'],
  ['select /* a\nb */ 1', 'select   1'],
  ["select 'a  b'\nfrom t", "select 'a  b' from t"],
  ["select 'a\nb'", null],
])('the statement %j is the line %j', (sql, line) => expect(oneLine(sql)).toBe(line))
