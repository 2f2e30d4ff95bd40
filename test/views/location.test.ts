import { expect, test } from 'vitest'
import { addressAt, parseViewsLocation } from '../../src/views/lake-scripts.ts'

test('a location is an absolute path of any machine or a URL that DuckDB reads', () => {
  const parsed = (text: string) => parseViewsLocation(text, '/srv/lake')
  expect(parsed('/mnt/a lake/')).toBe('/mnt/a lake')
  expect(parsed('/')).toBe('/')
  expect(parsed('Z:\\lake\\')).toBe('Z:\\lake')
  expect(parsed('https://host/a/lake/')).toBe('https://host/a/lake')
  expect(parsed('s3://bucket/lake')).toBe('s3://bucket/lake')
})

test('the folder of the lake itself is no other location', () => {
  expect(parseViewsLocation('/srv/lake/', '/srv/lake')).toBeNull()
  expect(parseViewsLocation('/srv/x/../lake', '/srv/lake')).toBeNull()
})

test.each([
  ['lake', 'absolute path'],
  ['./lake', 'absolute path'],
  ['', 'absolute path'],
  ['https:', 'absolute path'],
  ['htps://host/lake', 'does not read URLs'],
  ['file:///srv/lake', 'does not read URLs'],
  ['https://host/lake?key=1', 'do not agree'],
])('%j is refused', (text, message) => {
  expect(() => parseViewsLocation(text, '/srv/lake')).toThrow(message)
  expect(() => parseViewsLocation(text, '/srv/lake')).toThrow(expect.objectContaining({ code: 'config.location' }))
})

test('the path of a file is encoded for HTTP servers, which decode it', () => {
  expect(addressAt('https://host/lake', 'data/t/chain=X%2Ftx/1.parquet')).toBe(
    'https://host/lake/data/t/chain=X%252Ftx/1.parquet',
  )
  expect(addressAt('/mnt/lake', 'data/t/chain=X%2Ftx/1.parquet')).toBe('/mnt/lake/data/t/chain=X%2Ftx/1.parquet')
})
