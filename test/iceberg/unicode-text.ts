import fc from 'fast-check'

/** Text of any code points, also beyond 16 bits. */
export const unicodeText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff })), { maxLength: 8 })
  .map((points) => String.fromCodePoint(...points))
