import fc from 'fast-check'

/** Text of any code points, those beyond 16 bits too. */
export const unicodeText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff })), { maxLength: 8 })
  .map((points) => String.fromCodePoint(...points))
