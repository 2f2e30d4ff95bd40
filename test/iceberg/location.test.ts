import { expect, test } from 'vitest'
import { lakeUri, parseLocation } from '../../src/iceberg/table.ts'

test('a folder becomes a URI that readers accept unchanged', () => {
  expect(lakeUri('/srv/a lake')).toBe('file:///srv/a lake')
  expect(lakeUri('C:\\lake')).toBe('file:///C:/lake')
})

test('--location accepts a URI or a folder', () => {
  expect(parseLocation('s3://bucket/a/lake/')).toBe('s3://bucket/a/lake')
  expect(parseLocation('file:///srv/lake')).toBe('file:///srv/lake')
  expect(parseLocation('/srv/lake')).toBe('file:///srv/lake')
  for (const text of ['lake', 's3:/bucket', 's3://bucket/a lake', '', 'file:'])
    expect(() => parseLocation(text), text).toThrow('--location must be a URI')
})

test('characters that readers interpret differently are refused', () => {
  for (const folder of ['/srv/100%', '/srv/a#b', '/srv/a*', '/srv/[a]'])
    expect(() => lakeUri(folder)).toThrow('do not agree')
  expect(() => parseLocation('s3://bucket/a?b')).toThrow('do not agree')
})
