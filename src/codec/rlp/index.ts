export { itemOfList } from './item-of-list.ts'
export { type RlpStruct, rlpList, rlpStruct } from './lists.ts'
export { enterString, isList, leaveList, writeString } from './prefix.ts'
export { rlpBytes, rlpFixed, rlpFixedOrEmpty, rlpU64, rlpU256 } from './scalars.ts'
