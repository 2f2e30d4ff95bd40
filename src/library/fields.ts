/**
 * Readers of the fields of a JSON answer, for decoders of lists. Each one throws `DecodeError` with the path of the field, and loses no
 * digit of a number.
 */
export {
  answerObject,
  finish,
  flag,
  ignore,
  nextPageToken,
  object,
  objects,
  optionalFlag,
  optionalObject,
  optionalObjects,
  optionalText,
  optionalTexts,
  pathOf,
  type Reading,
  text,
  texts,
} from '../decode/json/fields.ts'
export {
  count,
  digits,
  fraction,
  optionalCount,
  optionalDigits,
  optionalFraction,
  optionalInt64,
  optionalTime,
  optionalU64,
  seconds,
  time,
  u64,
} from '../decode/json/number-fields.ts'
export {
  address,
  hash,
  hex,
  id,
  ids,
  nodeId,
  optionalAddress,
  optionalHex,
  optionalId,
  optionalNodeId,
  optionalWord,
  word,
} from '../decode/json/text-fields.ts'
